# /// snippet
# title.zh = "经由 detach 原地修改会被发现，经由 .data 则不会"
# title.en = "A change in place is noticed through detach, not through .data"
# topics = ["T41"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch


def gradient(tamper):
    """Return the gradient of exp at 1 and 2, after something was done to its result."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = w.exp()  # backward will need y itself
    tamper(y)
    try:
        y.sum().backward()
    except RuntimeError as error:
        return str(error).partition(" Hint")[0]
    return [round(value, 3) for value in w.grad.tolist()]


untouched = gradient(lambda _: None)
by_clone = gradient(lambda y: y.detach().clone().mul_(10))
by_detach = gradient(lambda y: y.detach().mul_(10))
by_data = gradient(lambda y: y.data.mul_(10))
print("untouched:        ", untouched)
print("detach().clone(): ", by_clone)
print("detach():         ", by_detach)
print(".data:            ", by_data, "- ten times too much, and nobody said so")
assert untouched == by_clone == [2.718, 7.389]
assert "modified by an inplace operation" in by_detach
assert by_data == [27.183, 73.891]
