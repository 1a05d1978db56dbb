# /// snippet
# title.zh = "后缀只是名字，有一个例外：同一个文件换七个名字"
# title.en = "A suffix is only a name, with one exception: one file under seven of them"
# topics = ["T04"]
# devices = ["cpu"]
# timeout = 60
# ///
import pickle
import shutil
import tarfile
import zipfile
from pathlib import Path

import torch

weights = {"weight": torch.arange(6.0).reshape(2, 3), "bias": torch.ones(2)}
torch.save(weights, "model.pt")
for suffix in ["pt", "pth", "tar", "t7", "pkl", "h5"]:
    copy = f"copy.{suffix}"
    shutil.copy("model.pt", copy)
    loaded = torch.load(copy)
    assert all(loaded[name].equal(weights[name]) for name in weights)
    print(f"{copy:17} loads; zip: {zipfile.is_zipfile(copy)}, tar: {tarfile.is_tarfile(copy)}")
    assert zipfile.is_zipfile(copy)
    assert not tarfile.is_tarfile(copy)

shutil.copy("model.pt", "copy.safetensors")
with Path("copy.safetensors").open("rb") as file:  # no name to be judged by
    assert torch.load(file)["bias"].equal(weights["bias"])
try:
    torch.load("copy.safetensors")
except Exception:  # noqa: BLE001 - where safetensors is installed, the error is its own
    print("copy.safetensors  loads from an open file, and is refused by name")
else:
    raise AssertionError("the suffix was ignored")

print("inside:")
with zipfile.ZipFile("model.pt") as archive:
    for entry in archive.infolist():
        packed = "stored" if entry.compress_type == zipfile.ZIP_STORED else "compressed"
        print(f"  {entry.filename:31} {packed}")
    raw = archive.read("model/data/0")  # the numbers themselves, as they lie in memory
assert torch.frombuffer(bytearray(raw), dtype=torch.float32).equal(weights["weight"].flatten())

try:
    pickle.loads(Path("model.pt").read_bytes())
except pickle.UnpicklingError as error:
    print("pickle alone:", type(error).__name__)

torch.save(weights, "old.pt", _use_new_zipfile_serialization=False)
print("the form before 1.6: zip:", zipfile.is_zipfile("old.pt"), end=", ")
print("loads:", torch.load("old.pt")["bias"].equal(weights["bias"]))
