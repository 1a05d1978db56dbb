# /// snippet
# title.zh = "激活检查点：省多少，多算多少"
# title.en = "Activation checkpointing: what it saves and what it costs"
# topics = ["T67"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
blocks = nn.ModuleList(nn.Sequential(nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 256)) for _ in range(8))
calls = []
for block in blocks:
    block.register_forward_pre_hook(lambda *_: calls.append(1))


def measure(run):
    """Return bytes kept for the backward pass, block calls, and gradients."""
    calls.clear()
    kept = {}
    for parameter in blocks.parameters():
        parameter.grad = None

    def pack(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    weights = {p.untyped_storage().data_ptr() for p in blocks.parameters()}
    x = torch.ones(512, 256, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        y = x
        for block in blocks:
            y = run(block, y)
    held = sum(size for place, size in kept.items() if place not in weights)
    y.mean().backward()
    return held, len(calls), [p.grad.clone() for p in blocks.parameters()]


plain = measure(lambda block, y: block(y))
cheap = measure(lambda block, y: checkpoint(block, y, use_reentrant=False))
for name, (held, times, _) in {"kept": plain, "checkpointed": cheap}.items():
    print(f"{name:13} {held / 2**20:5.1f} MiB for the backward pass, {times} forward passes of a block")
same = all(torch.equal(a, b) for a, b in zip(plain[2], cheap[2], strict=True))
print("the same gradients:", same)
assert same
