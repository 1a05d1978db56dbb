# /// snippet
# title.zh = "报错：文件里的类不见了"
# title.en = "Error: the class in the file is gone"
# topics = ["T31"]
# devices = ["cpu"]
# timeout = 60
# raises = "AttributeError"
# ///
import re
import zipfile

import torch
from torch import nn


class Net(nn.Linear):
    """A class that will be renamed."""


torch.save(Net(2, 2), "whole.pt")
with zipfile.ZipFile("whole.pt") as archive:
    names = re.findall(rb"c__main__\n(\w+)", archive.read("whole/data.pkl"))
print("the file wants the class", *(name.decode() for name in names))
Renamed = Net
del Net
torch.load("whole.pt", weights_only=False)  # our own file, just written
