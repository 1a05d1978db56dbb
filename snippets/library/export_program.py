# /// snippet
# title.zh = "torch.export：不带类的程序，大小可变，分支要明说"
# title.en = "torch.export: a program without its class, sizes that vary, branches that are stated"
# topics = ["T38"]
# devices = ["cpu"]
# timeout = 120
# ///
import contextlib
import io

import torch
from torch import nn
from torch.export import Dim, export, load, save

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x).relu()


model, x = Net().eval(), torch.randn(5, 3)
expected = model(x).detach()
save(export(model, (x,), dynamic_shapes={"x": {0: Dim("batch")}}), "net.pt2")
del Net, model  # nothing of the class is needed from here on

net = load("net.pt2").module()
assert torch.allclose(net(x), expected)
print("loaded without the class: the same output")
print("another batch size:", list(net(torch.randn(8, 3)).shape))
try:
    net(torch.randn(8, 7))
except AssertionError as error:
    print("another width:", error)


class Branch(nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 0 else x - 1


class Stated(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))


try:
    with contextlib.redirect_stderr(io.StringIO()):  # where it explains itself at length
        export(Branch(), (torch.ones(2),))
except RuntimeError as error:
    print("if on values:", type(error).__name__)
stated = export(Stated(), (torch.ones(2),)).module()
assert stated(-torch.ones(2)).tolist() == [-2, -2]
print("torch.cond:", stated(torch.ones(2)).tolist(), stated(-torch.ones(2)).tolist())
