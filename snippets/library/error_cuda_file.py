# /// snippet
# title.zh = "报错：GPU 上存的文件，没有 GPU 的机器"
# title.en = "Error: a file saved on a GPU, a machine without one"
# topics = ["T36"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import zipfile

import torch

torch.save(torch.ones(2), "cpu.pt")
# The file as a GPU would have written it: the same bytes, another tag.
old, new = (len(tag).to_bytes(4, "little") + tag for tag in (b"cpu", b"cuda:0"))
with zipfile.ZipFile("cpu.pt") as source, zipfile.ZipFile("gpu.pt", "w") as target:
    for name in source.namelist():
        target.writestr(name, source.read(name).replace(old, new))

print("with map_location:", torch.load("gpu.pt", map_location="cpu").tolist())
torch.load("gpu.pt")
