# /// snippet
# title.zh = "随手用的层：1x1 卷积、补零、由 arange 来的参数"
# title.en = "Small layers: a 1x1 convolution, padding, a parameter from arange"
# topics = ["T50"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

image = torch.randn(2, 8, 4, 5)
shrink = nn.Conv2d(8, 3, kernel_size=1)  # 8 channels to 3; height and width stay
assert shrink(image).shape == (2, 3, 4, 5)
print("1x1 convolution:", tuple(image.shape), "->", tuple(shrink(image).shape))

pad = nn.ZeroPad2d((1, 2, 3, 4))  # left, right, top, bottom
padded = pad(image)
assert padded.shape == (2, 8, 4 + 3 + 4, 5 + 1 + 2)
assert torch.equal(padded[:, :, 3:7, 1:6], image)
assert padded.sum().isclose(image.sum(), atol=1e-3)
print("ZeroPad2d((1, 2, 3, 4)):", tuple(padded.shape), "- left, right, top, bottom")


class Centres(nn.Module):
    """Points at the middle of `count` equal parts of pi."""

    def __init__(self, count):
        super().__init__()
        angles = (torch.arange(count) + 0.5) * torch.pi / count
        self.learned = nn.Parameter(angles.clone())
        self.register_buffer("fixed", angles)


centres = Centres(4)
print("arange + 0.5:", [round(value, 3) for value in centres.fixed.tolist()])
assert [name for name, _ in centres.named_parameters()] == ["learned"]
assert list(centres.state_dict()) == ["learned", "fixed"]
print("to the optimizer:", [name for name, _ in centres.named_parameters()], " saved:", list(centres.state_dict()))

try:
    nn.Parameter(torch.arange(4))  # whole numbers
except RuntimeError as error:
    print("Parameter(arange(4)):", error)

# a step that is a fraction: the end may come in by rounding
uneven = torch.arange(1, 1.3, 0.1)
assert len(uneven) == 4
assert len(torch.linspace(1, 1.2, 3)) == 3
print("arange(1, 1.3, 0.1):", [round(v, 1) for v in uneven.tolist()], "- linspace(1, 1.2, 3) has three")
