# /// snippet
# title.zh = "1x1 卷积：一维、二维、三维，与线性层"
# title.en = "1x1 convolution in one, two and three dimensions, and a linear layer"
# topics = ["T15"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
linear = nn.Linear(3, 4).double().to(device)
# 3 channels at 5 * 6 * 7 places.
x = torch.randn(2, 3, 5, 6, 7, dtype=torch.float64).to(device)


def over_channels(x):
    """Put the channels last, apply the linear layer, put them back."""
    return linear(x.movedim(1, -1)).movedim(-1, 1)


# The same numbers with 1, 2 and 3 spatial dimensions.
flattened = {1: x.flatten(2), 2: x.flatten(3), 3: x}
results = []
for dims, kind in enumerate([nn.Conv1d, nn.Conv2d, nn.Conv3d], start=1):
    torch.manual_seed(0)
    conv = kind(3, 4, kernel_size=1).double().to(device)
    # The same start: 3 inputs to each output.
    assert torch.equal(conv.weight.flatten(1), linear.weight)
    assert torch.equal(conv.bias, linear.bias)

    out = conv(flattened[dims])
    assert torch.allclose(out, over_channels(flattened[dims]))
    results.append(out.flatten(2))
    print(f"{kind.__name__}: {tuple(flattened[dims].shape)!s:16} -> {tuple(out.shape)!s:16}", end=" ")
    print(f"weight {tuple(conv.weight.shape)}, {sum(p.numel() for p in conv.parameters())} parameters")

assert all(torch.allclose(results[0], other) for other in results[1:])
print("all three put out the same numbers, and a linear layer over the channels does too")

mixed = torch.einsum("oc,bcxyz->boxyz", linear.weight, x) + linear.bias.view(1, -1, 1, 1, 1)
assert torch.allclose(mixed.flatten(2), results[0])
print("so does one matrix, applied at each place:", tuple(linear.weight.shape))
