# /// snippet
# title.zh = "cat、stack、squeeze：拼起来，去掉一维"
# title.en = "cat, stack, squeeze: join, and drop a dimension"
# topics = ["T50"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch


def shape(name, tensor, expected):
    """Print a shape, and check it."""
    assert tuple(tensor.shape) == expected
    print(f"{name:28} {expected}")


def refused(name, call):
    """Print the words of the error that the call must raise."""
    try:
        call()
    except RuntimeError as error:
        return print(f"{name:28} {error}")
    raise AssertionError("it worked")


a, b = torch.zeros(2, 3), torch.ones(2, 3)
shape("cat([a, b], dim=0)", torch.cat([a, b], dim=0), (4, 3))  # longer
shape("cat([a, b], dim=1)", torch.cat([a, b], dim=1), (2, 6))
shape("stack([a, b], dim=0)", torch.stack([a, b], dim=0), (2, 2, 3))  # one dimension more
shape("stack([a, b], dim=2)", torch.stack([a, b], dim=2), (2, 3, 2))
assert torch.equal(torch.stack([a, b], dim=1), torch.cat([a[:, None], b[:, None]], dim=1))
refused("cat of 3 and 4 columns", lambda: torch.cat([a, torch.zeros(2, 4)], dim=0))
refused("stack of two shapes", lambda: torch.stack([a, torch.zeros(2, 4)]))

c = torch.zeros(1, 3, 1)
shape("c", c, (1, 3, 1))
shape("c.squeeze()", c.squeeze(), (3,))  # every side of 1 goes
shape("c.squeeze(-1)", c.squeeze(-1), (1, 3))  # only the last
shape("c.squeeze(1)", c.squeeze(1), (1, 3, 1))  # a side of 3 stays, without a word

batch = torch.zeros(1, 10)  # the last batch of an epoch may hold a single sample
assert batch.squeeze().dim() == 1
print("squeeze() of a batch of one:", tuple(batch.squeeze().shape), "- the batch is gone")

parts = torch.arange(10).split([3, 3, 4])
assert torch.equal(torch.cat(parts), torch.arange(10))
print("split and cat are opposites:", [part.tolist() for part in parts])
