# /// snippet
# title.zh = "谁会得到 grad：叶子与非叶子"
# title.en = "Who gets a grad: leaves and the rest"
# topics = ["T41"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch

x = torch.tensor([1.0, 2.0])  # data
w = torch.tensor([3.0, 4.0], requires_grad=True)  # to be learned
y = x * w
y.retain_grad()
z = y * 2
z.sum().backward()

print("    requires_grad  is_leaf  grad")
for name, tensor in {"x": x, "w": w, "y": y, "z": z}.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # reading the grad of z warns
        grad = tensor.grad
    print(f"{name}   {tensor.requires_grad!s:13}  {tensor.is_leaf!s:7}  {grad.tolist() if grad is not None else None}")
assert w.grad.tolist() == [2.0, 4.0]
assert y.grad.tolist() == [2.0, 2.0]  # only because of retain_grad


def refused(name, call):
    """Print the words of the error that the call must raise."""
    try:
        call()
    except RuntimeError as error:
        return print(f"{name}\n   {error}")
    raise AssertionError("it worked")


refused("backward where nothing needs it:", lambda: x.sum().backward())
refused("writing into a leaf:", lambda: w.add_(1))
refused("numpy of what needs a gradient:", w.numpy)
refused("switching off in the middle:", lambda: y.requires_grad_(False))
refused("integers:", lambda: torch.tensor([1, 2]).requires_grad_())
print("after detach():", w.detach().numpy())
