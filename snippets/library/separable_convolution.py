# /// snippet
# title.zh = "MobileNet 的可分离卷积：参数和计算量一起变小"
# title.en = "The separable convolution of MobileNet: fewer parameters and fewer FLOPs"
# topics = ["T05", "T15"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode


def costs(net, x):
    """Count the weights, the FLOPs of a forward pass, and the bytes that all layers put out."""
    with FlopCounterMode(display=False) as counter:
        put_out = 0
        for layer in net:
            x = layer(x)
            put_out += x.nbytes
    return sum(p.numel() for p in net.parameters()), counter.get_total_flops(), put_out


print("channels                 parameters          FLOPs  output bytes")
for wide in [128, 512]:
    with torch.device("meta"):
        x = torch.empty(1, wide, 14, 14)
        full = nn.Sequential(nn.Conv2d(wide, wide, 3, padding=1, bias=False))
        separable = nn.Sequential(
            # Each channel by itself.
            nn.Conv2d(wide, wide, 3, padding=1, groups=wide, bias=False),
            nn.Conv2d(wide, wide, 1, bias=False),  # then mix the channels
        )
        before, after = costs(full, x), costs(separable, x)
    print(f"{wide:4} full 3x3       {before[0]:16,} {before[1]:14,} {before[2]:13,}")
    print(f"{wide:4} separable      {after[0]:16,} {after[1]:14,} {after[2]:13,}")

    share = 1 / wide + 1 / 9
    assert abs(after[0] / before[0] - share) < 1e-9  # parameters and
    # Computation shrink by the same factor.
    assert abs(after[1] / before[1] - share) < 1e-9
    assert after[2] == 2 * before[2]
    print(f"     ratio          {after[0] / before[0]:16.3f} {after[1] / before[1]:14.3f} {after[2] / before[2]:13.1f}")
