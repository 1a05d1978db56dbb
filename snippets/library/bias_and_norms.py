# /// snippet
# title.zh = "哪些归一化会抵消前面的偏置"
# title.en = "Which norms cancel a bias before them"
# topics = ["T09"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

torch.manual_seed(0)
plain = torch.randn(4, 8, 6, 6, dtype=torch.float64)
# What a bias adds: one number per channel.
biased = plain + torch.randn(8, dtype=torch.float64).view(1, 8, 1, 1)

cases = {
    "BatchNorm2d, training": (nn.BatchNorm2d(8), True),
    "BatchNorm2d, eval": (nn.BatchNorm2d(8).eval(), False),
    "ReLU, then BatchNorm2d": (nn.Sequential(nn.ReLU(), nn.BatchNorm2d(8)), False),
    "AvgPool2d, then BatchNorm2d": (nn.Sequential(nn.AvgPool2d(2), nn.BatchNorm2d(8)), True),
    "AvgPool2d with padding, then it": (nn.Sequential(nn.AvgPool2d(2, padding=1), nn.BatchNorm2d(8)), False),
    "InstanceNorm2d": (nn.InstanceNorm2d(8), True),
    "GroupNorm, one channel each": (nn.GroupNorm(8, 8), True),
    "GroupNorm, two channels each": (nn.GroupNorm(4, 8), False),
    "LayerNorm over all but batch": (nn.LayerNorm([8, 6, 6]), False),
}
for name, (norm, cancels) in cases.items():
    norm.double()
    same = torch.allclose(norm(plain), norm(biased))
    assert same == cancels
    print(f"{name:31}", "cancelled" if same else "the bias counts")
