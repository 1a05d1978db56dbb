# /// snippet
# title.zh = "模块原地搬，张量返回新的"
# title.en = "A module moves in place, a tensor returns a new one"
# topics = ["T53"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

model = nn.Linear(3, 2)
weight = model.weight
returned = model.to(torch.float64)
assert returned is model
assert model.weight is weight
print("module: returns itself", returned is model, "| changed in place:", model.weight.dtype)

tensor = torch.ones(1, 3)
moved = tensor.to(torch.float64)
assert moved is not tensor
print("tensor: returns itself", moved is tensor, "| left as it was:", tensor.dtype)
print("nothing to do:", tensor.to(torch.float32) is tensor)

try:
    model(tensor)  # the result of .to was dropped
except RuntimeError as error:
    print("RuntimeError:", error)
print("assigned:", model(tensor.to(torch.float64)).shape)

first = nn.Linear(3, 2)
optimizer = torch.optim.SGD(first.parameters(), lr=0.1)
kept = optimizer.param_groups[0]["params"][0]
first.to(torch.float64)
print("the optimizer still holds the weight:", kept is first.weight, kept.dtype)

to_meta = nn.Linear(3, 2)
before = to_meta.weight
to_meta.to("meta")
print("another kind of device makes new parameters:", to_meta.weight is not before)
assert to_meta.weight is not before

leaf = torch.ones(2, requires_grad=True)
copy = leaf.to(torch.float64)
copy.sum().backward()
print("copy is a leaf:", copy.is_leaf, "| the gradient went to the original:", leaf.grad.tolist())
