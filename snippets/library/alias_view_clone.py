# /// snippet
# title.zh = "别名、视图、副本：改一个，看另一个"
# title.en = "Alias, view, copy: change one, watch the other"
# topics = ["T10"]
# devices = ["cpu"]
# timeout = 60
# ///
import copy

import torch


def sharing(name, make):
    """Write into what `make` returns, and tell what the original shows of it."""
    original = torch.tensor([1.0, 2.0, 3.0])
    other = make(original)
    other[0] = 99.0
    same_object = other is original
    same_memory = original[0].item() == 99.0
    print(f"{name:28} same object: {same_object!s:5}  same memory: {same_memory}")
    return same_object, same_memory


assert sharing("b = a", lambda a: a) == (True, True)
for name, make in [
    ("b = a[:]", lambda a: a[:]),
    ("b = a.view(3)", lambda a: a.view(3)),
    ("b = a.detach()", lambda a: a.detach()),
    ("b = copy.copy(a)", copy.copy),
    ("b = torch.from_numpy(...)", lambda a: torch.from_numpy(a.numpy())),
]:
    assert sharing(name, make) == (False, True)
for name, make in [
    ("b = a.to(torch.float32)", lambda a: a.to(torch.float32)),
    ("b = a.contiguous()", lambda a: a.contiguous()),
]:
    assert sharing(name, make) == (True, True)  # nothing to do: the tensor itself comes back
for name, make in [
    ("b = a.clone()", lambda a: a.clone()),
    ("b = a.to(..., copy=True)", lambda a: a.to(torch.float32, copy=True)),
    ("b = copy.deepcopy(a)", copy.deepcopy),
    ("b = torch.tensor(a.tolist())", lambda a: torch.tensor(a.tolist())),
]:
    assert sharing(name, make) == (False, False)

row = torch.zeros(2, 2)
before = row
row += 1  # in place: both names see it
assert before.sum().item() == 4
row = row + 1  # a new tensor: the names part
assert before.sum().item() == 4
print("after row += 1 and row = row + 1:", before[0].tolist(), row[0].tolist())
