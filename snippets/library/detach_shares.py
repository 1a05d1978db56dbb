# /// snippet
# title.zh = "detach：内存共用，计算图断开"
# title.en = "detach: one memory, no graph"
# topics = ["T41"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 3
d = y.detach()
print("y:", y.requires_grad, y.is_leaf, type(y.grad_fn).__name__)
print("d:", d.requires_grad, d.is_leaf, d.grad_fn)
assert d.data_ptr() == y.data_ptr()

d[0] = 100.0  # written through one, seen by the other
assert y[0].item() == 100.0
print("after d[0] = 100, y is", y.tolist())

w.grad = None
x = w * 3
(x * x.detach()).sum().backward()  # x.detach() counts as a constant
assert w.grad.tolist() == (3 * x).tolist()
print("gradient of x * x.detach():", w.grad.tolist(), "- half of that of x * x")

s = w.detach().requires_grad_()  # "can never get a gradient"? it can
(s * 5).sum().backward()
assert s.grad.tolist() == [5.0, 5.0]
print("gradient of a detached tensor, once asked for:", s.grad.tolist())
w.grad = None
(w.detach().requires_grad_() * 5).sum().backward()
assert w.grad is None  # what is before the cut stays without
print("and what lies before the cut:", w.grad)
