# /// snippet
# title.zh = "autocast 里的数据类型"
# title.en = "Data types inside autocast"
# topics = ["T27"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.functional import mse_loss

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
x, target = torch.randn(512, 64), torch.randn(512, 64)


def short(tensor):
    return str(tensor.dtype).removeprefix("torch.")


print("by default on the CPU:", torch.get_autocast_dtype("cpu"))
print("by default on CUDA:   ", torch.get_autocast_dtype("cuda"))
with torch.autocast("cpu"):
    out = net(x)
    print("linear:", short(out), "| relu:", short(out.relu()))
    print("softmax:", short(out.softmax(1)), "| float32 @ float32:", short(x @ x.T))
    loss = mse_loss(out, target)
    print("bfloat16 + float32:", short(out + x), "| mse_loss:", short(loss))
print("after the block:", short(out), "stays,", short(x @ x.T), "is back")

loss.backward()  # outside: each operation goes back in the type it came in
weight = net[0].weight
print("weight:", short(weight), "| its gradient:", short(weight.grad))

try:
    out @ x.T  # outside of autocast nobody casts
except RuntimeError as error:
    print("out @ x.T:", error)


def kept(enabled):
    """Count the bytes that the forward pass keeps for the backward pass."""
    tensors = []
    hooks = saved_tensors_hooks(tensors.append, lambda _: None)
    with hooks, torch.autocast("cpu", enabled=enabled):
        net(x)
    return sum(tensor.nbytes for tensor in tensors)


print("kept for the backward pass, in bytes")
print("  without autocast:", kept(enabled=False))
print("  with autocast:   ", kept(enabled=True))
