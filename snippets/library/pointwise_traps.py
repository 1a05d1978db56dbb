# /// snippet
# title.zh = "1x1 卷积的几个坑"
# title.en = "Pitfalls of the 1x1 convolution"
# topics = ["T15"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

torch.manual_seed(0)


def attempt(what, layer, shape):
    """Print the shape that comes out, or the reason why none does."""
    try:
        print(f"{what}:", tuple(layer(torch.randn(shape)).shape))
    except RuntimeError as error:
        print(f"{what}: {str(error).split(', expected ')[-1]}")


# An input with one dimension too few counts as a single sample without a batch.
attempt("Conv2d(3, 4, 1) on (2, 3, 5)", nn.Conv2d(3, 4, 1), (2, 3, 5))
attempt("Conv2d(2, 4, 1) on (2, 3, 5)", nn.Conv2d(2, 4, 1), (2, 3, 5))
attempt("Conv1d(3, 4, 1) on (2, 3, 5)", nn.Conv1d(3, 4, 1), (2, 3, 5))
# A linear layer looks for the channels in the last dimension.
attempt("Linear(5, 4)    on (2, 3, 5)", nn.Linear(5, 4), (2, 3, 5))

x = torch.randn(1, 3, 4, 4)
padded = nn.Conv2d(3, 2, 1, padding=1)
out = padded(x)
edge = torch.ones(6, 6, dtype=torch.bool)
edge[1:-1, 1:-1] = False
# Zeros in, so nothing but the bias out.
assert torch.equal(out[0, :, edge], padded.bias[:, None].expand(2, 20))
print("padding=1 adds a frame of", int(edge.sum()), "places that hold the bias:", tuple(out.shape))

x.requires_grad_()
nn.Conv2d(3, 2, 1, stride=2)(x).sum().backward()
unread = (x.grad[0].abs().sum(dim=0) == 0).sum().item()
assert unread == 12
print("stride=2 never reads", unread, "of 16 places")
