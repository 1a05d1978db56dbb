# /// snippet
# title.zh = "map_location：文件里的设备标签，加载时改到哪里"
# title.en = "map_location: the device tag in the file, and where it goes on loading"
# topics = ["T36"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings
import zipfile

import torch
from torch import nn

torch.manual_seed(0)
trained = nn.Linear(3, 2)
torch.save(trained.state_dict(), "cpu.pt")

# A file as the fourth card would have written it: the same bytes, another tag.
old, new = (len(tag).to_bytes(4, "little") + tag for tag in (b"cpu", b"cuda:3"))
with zipfile.ZipFile("cpu.pt") as source, zipfile.ZipFile("card3.pt", "w") as target:
    for name in source.namelist():
        target.writestr(name, source.read(name).replace(old, new))

tags = []
torch.load("card3.pt", map_location=lambda storage, tag: tags.append(tag) or storage)
print("tags in the file:", set(tags))
assert set(tags) == {"cuda:3"}

for text, place, expect in [
    ("left out", None, "refused"),
    ('"cpu"', "cpu", "cpu"),
    ('{"cuda:3": "cpu"}', {"cuda:3": "cpu"}, "cpu"),
    ('{"cuda:0": "cpu"}', {"cuda:0": "cpu"}, "refused"),
    ('"meta"', "meta", "meta"),
]:
    try:
        weight = torch.load("card3.pt", map_location=place)["weight"]
        got, what = weight.device.type, f"on {weight.device}, shape {list(weight.shape)}"
    except RuntimeError as error:
        got, what = "refused", str(error).partition(" but ")[0] + " ..."
    print(f"{text:18} {what}")
    assert got == expect
    assert got != "cpu" or weight.equal(trained.weight)

with torch.device("meta"):  # a skeleton: shapes and no memory
    net = nn.Linear(3, 2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    net.load_state_dict(torch.load("cpu.pt"))
print("skeleton, copied into:", net.weight.device, "| a no-op:", "no-op" in str(caught[0].message))
net.load_state_dict(torch.load("cpu.pt", mmap=True), assign=True)
print("skeleton, assigned to:", net.weight.device, "|", type(net.weight).__name__)
assert net.weight.equal(trained.weight)
