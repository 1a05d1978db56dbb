# /// snippet
# title.zh = "报错：文件里的类不见了"
# title.en = "Error: the class in the file is gone"
# topics = ["T31"]
# devices = ["cpu"]
# timeout = 60
# raises = "AttributeError"
# ///
import torch
from torch import nn


class Net(nn.Linear):
    """A class that will be renamed."""


torch.save(Net(2, 2), "whole.pt")
Renamed = Net
del Net
print("the class is called", "Renamed now; the file still says Net")
torch.load("whole.pt", weights_only=False)  # our own file, just written
