# /// snippet
# title.zh = "autocast 里的数据类型"
# title.en = "Data types inside autocast"
# topics = ["T27"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.nn.functional import mse_loss

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
x, target = torch.randn(512, 64), torch.randn(512, 64)


def short(tensor):
    return str(tensor.dtype).removeprefix("torch.")


print("by default on the CPU:", torch.get_autocast_dtype("cpu"), "| on CUDA:", torch.get_autocast_dtype("cuda"))
with torch.autocast("cpu"):
    out = net(x)
    print("linear:", short(out), "| relu:", short(out.relu()), "| matmul of two float32:", short(x @ x.T))
    print("bfloat16 + float32:", short(out + x), "| mse_loss:", short(mse_loss(out, target)))
    loss = mse_loss(out, target)
print("after the block:", short(out), "stays,", short(x @ x.T), "is back")

loss.backward()  # outside: each operation goes back in the type it came in
print("weight:", short(net[0].weight), "| its gradient:", short(net[0].weight.grad))

try:
    out @ x.T  # outside of autocast nobody casts
except RuntimeError as error:
    print("out @ x.T:", error)


def kept(enabled):
    """Count the bytes that the forward pass keeps for the backward pass."""
    total = 0

    def note(tensor):
        nonlocal total
        total += tensor.numel() * tensor.element_size()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor), torch.autocast("cpu", enabled=enabled):
        net(x)
    return total


print("kept for the backward pass:", kept(enabled=False), "bytes, with autocast", kept(enabled=True))
print("the weights themselves:", sum(p.numel() * p.element_size() for p in net.parameters()), "bytes, either way")
