# /// snippet
# title.zh = "clone、detach 与 detach().clone() 的区别"
# title.en = "clone, detach and detach().clone(): the difference"
# topics = ["T10", "T41"]
# devices = ["cpu"]
# timeout = 60
# ///
import copy

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
ways = {
    "w.clone()": (w.clone, False, True),
    "w.detach()": (w.detach, True, False),
    "w.detach().clone()": (lambda: w.detach().clone(), False, False),
    "w.clone().detach()": (lambda: w.clone().detach(), False, False),
}
print(f"{'':20} same memory  in the graph")
for name, (make, shares, in_graph) in ways.items():
    c = make()
    same = c.data_ptr() == w.data_ptr()
    print(f"{name:20} {same!s:11}  {c.requires_grad}")
    assert (same, c.requires_grad) == (shares, in_graph)

(w.clone() * 7).sum().backward()  # the copy is a step of the computation
assert w.grad.tolist() == [7.0, 7.0]
print("through clone() the gradient reaches w:", w.grad.tolist())

before = w.detach()  # meant as a record of how it was
record = w.detach().clone()
with torch.no_grad():
    w -= 0.5 * w.grad
assert before.tolist() == w.tolist()
assert record.tolist() == [1.0, 2.0]
print("after a step: detach() shows", before.tolist(), "detach().clone() kept", record.tolist())

twin = copy.deepcopy(w)  # of a leaf: memory of its own, still trainable
assert twin.requires_grad
assert twin.is_leaf
try:
    copy.deepcopy(w * 2)
except RuntimeError as error:
    print("deepcopy of a result:", str(error).partition(".  ")[0])
