# /// snippet
# title.zh = "一步训练里，各部分内存何时出现、何时消失"
# title.en = "When each part of the memory comes and goes in a step"
# topics = ["T05"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.multiprocessing.reductions import StorageWeakRef

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 30 * 30, 10))
optimizer = torch.optim.Adam(model.parameters())
x = torch.randn(8, 3, 32, 32)
known = {t.untyped_storage().data_ptr() for t in [x, *model.parameters()]}
# Memory that the graph keeps for the backward pass: where -> (is it still there, bytes).
kept = {}


def note(tensor):
    """Take down a tensor that autograd saves; views of the same memory count once."""
    storage = tensor.untyped_storage()
    if storage.data_ptr() not in known:
        kept[storage.data_ptr()] = StorageWeakRef(storage), storage.nbytes()
    return tensor


def report(moment):
    """Print what is held at a moment, by part."""
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    states = [t for state in optimizer.state.values() for t in state.values()]
    activations = sum(size for there, size in kept.values() if not there.expired())
    parts = [sum(t.nbytes for t in group) for group in (list(model.parameters()), grads, states)]
    print(f"{moment:10} {parts[0]:10,} {parts[1]:9,} {parts[2]:15,} {activations:11,}")
    return [*parts, activations]


print("after      parameters gradients optimizer state activations")
first = report("building")
with saved_tensors_hooks(note, lambda tensor: tensor):
    loss = model(x).square().mean()
forward = report("forward")
loss.backward()
backward = report("backward")
optimizer.step()
step = report("step")
optimizer.zero_grad()
cleared = report("zero_grad")

assert first[1:] == [0, 0, 0]
assert forward[3] > 0
assert backward[1] == first[0]
assert step[2] >= 2 * first[0]
assert cleared == [first[0], 0, step[2], 0]
