# /// snippet
# title.zh = "批归一化之前的偏置：训练时有没有都一样"
# title.en = "A bias before batch norm: in training it makes no difference"
# topics = ["T09"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

torch.manual_seed(0)


def block(*, bias):
    """Build a convolution and the batch norm that follows it."""
    return nn.Sequential(nn.Conv2d(64, 64, 3, bias=bias), nn.BatchNorm2d(64)).double()


with_bias, without = block(bias=True), block(bias=False)
without[0].weight.data.copy_(with_bias[0].weight)
with_bias[0].bias.data.normal_(std=5.0)  # large, so that nobody could overlook it
x = torch.randn(4, 64, 5, 5, dtype=torch.float64)

print("convolutions alone, same:", torch.allclose(with_bias[0](x), without[0](x)))
first, second = with_bias(x), without(x)
print("training, same:", torch.allclose(first, second))
first.pow(3).mean().backward()
gradients = {name: p.grad.abs().max().item() for name, p in with_bias[0].named_parameters()}
assert gradients["bias"] < 1e-12 < 1e-4 < gradients["weight"]
print("the bias gets a gradient: no, only rounding errors")

with_bias.eval(), without.eval()
# The running mean has not caught up with the bias.
early = torch.allclose(with_bias(x), without(x))
print("eval after one batch, same:", early)
with_bias.train(), without.train()
with torch.no_grad():
    before_norm = with_bias[0](x), without[0](x)
    for _ in range(199):
        with_bias[1](before_norm[0]), without[1](before_norm[1])
with_bias.eval(), without.eval()
late = torch.allclose(with_bias(x), without(x))
print("eval after 200 batches, same:", late)
assert late
assert not early
moved = with_bias[1].running_mean - without[1].running_mean
assert torch.allclose(moved, with_bias[0].bias)
print("by then the running mean has taken in the bias:", torch.allclose(moved, with_bias[0].bias))

counts = [sum(p.numel() for p in net.parameters()) for net in (with_bias, without)]
print(f"parameters: {counts[0]:,} with, {counts[1]:,} without: {1 - counts[1] / counts[0]:.2%} fewer")
