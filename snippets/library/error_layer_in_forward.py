# /// snippet
# title.zh = "报错：前向里新建的层留在 CPU"
# title.en = "Error: a layer made in forward stays on the CPU"
# topics = ["T43"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
from torch import nn


class Net(nn.Module):
    """Makes its second layer where no .to() can find it."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)

    def forward(self, x):
        return nn.Linear(3, 2)(self.first(x))


net = Net().to("meta")  # stands for a GPU: another device, without data
print("layers that moved:", [name for name, _ in net.named_children()])
net(torch.ones(1, 4, device="meta"))
