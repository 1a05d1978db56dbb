# /// snippet
# title.zh = "一批 32 个：一次算、攒四次、两个进程各算一半"
# title.en = "A batch of 32: at once, accumulated in four, halved between two processes"
# topics = ["T61"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
X, Y = torch.randn(32, 5), torch.randint(3, (32,))
loss_of = nn.CrossEntropyLoss()


def gradients(net, parts, *, divide=True):
    """Sum the gradients of the parts of the batch, each divided by their number."""
    net.zero_grad()
    for x, y in parts:
        loss = loss_of(net(x), y)
        (loss / len(parts) if divide else loss).backward()
    return torch.cat([weight.grad.flatten() for weight in net.parameters()])


def parts(*sizes):
    return list(zip(X.split(sizes), Y.split(sizes), strict=True))


def compare(name, net):
    whole = gradients(net, parts(32))
    for label, found in {
        "4 x 8, accumulated": gradients(net, parts(8, 8, 8, 8)),
        "2 x 16, averaged as by DDP": gradients(net, parts(16, 16)),
        "4 x 8, loss not divided": gradients(net, parts(8, 8, 8, 8), divide=False),
        "10 + 10 + 10 + 2": gradients(net, parts(10, 10, 10, 2)),
    }.items():
        away = ((found - whole).norm() / whole.norm()).item()
        print(f"{name:16} {label:28} {'the same' if away < 1e-12 else f'{away:.0%} away'}")
        yield away < 1e-12


plain = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
normed = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
assert list(compare("plain", plain)) == [True, True, False, False]
assert list(compare("with batch norm", normed)) == [False] * 4  # each part has a mean of its own
