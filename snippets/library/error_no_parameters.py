# /// snippet
# title.zh = "报错：优化器没有参数"
# title.en = "Error: an optimizer without parameters"
# topics = ["T69"]
# devices = ["cpu"]
# timeout = 60
# raises = "ValueError"
# ///
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, keep):
        super().__init__()
        self.layers = keep([nn.Linear(2, 2), nn.Linear(2, 2)])


print("in a ModuleList:", len(list(Net(nn.ModuleList).parameters())))
print("in a list:", len(list(Net(list).parameters())))
torch.optim.SGD(Net(list).parameters(), lr=0.1)
