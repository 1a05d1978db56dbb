# /// snippet
# title.zh = "grid_sample：读取任意位置，align_corners 的两种刻度"
# title.en = "grid_sample: read at any place, and the two scales of align_corners"
# topics = ["T50"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch
from torch.nn import functional

line = torch.tensor([0.0, 10.0, 20.0, 30.0]).view(1, 1, 1, 4)


def read(places, **how):
    """Read the line at places from -1 (left) to 1 (right)."""
    x = torch.tensor(places)
    grid = torch.stack([x, torch.zeros_like(x)], dim=-1).view(1, 1, -1, 2)  # (N, H, W, 2), x before y
    out = functional.grid_sample(line, grid, **how)
    assert out.shape == (1, 1, 1, len(places))
    return [round(value, 2) for value in out.flatten().tolist()]


centres = [-1.0, -1 / 3, 1 / 3, 1.0]
inner = [-0.75, -0.25, 0.25, 0.75]
assert read(centres, align_corners=True) == [0.0, 10.0, 20.0, 30.0]  # -1 is the middle of the first
assert read(inner, align_corners=False) == [0.0, 10.0, 20.0, 30.0]  # -1 is its outer edge
print("True:  the pixels lie at", [round(value, 2) for value in centres])
print("False: the pixels lie at", inner)
print("between two of them:", read([0.0], align_corners=True))

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert read(inner) == [0.0, 10.0, 20.0, 30.0]
print("without it, False:", str(caught[0].message).partition(".0 ")[0].partition(". ")[0])

for mode in ["zeros", "border", "reflection"]:
    found = read([1.5], align_corners=True, padding_mode=mode)
    print(f"outside, at 1.5, {mode}:", found)
assert read([1.5], align_corners=True, padding_mode="border") == [30.0]
assert read([1.0], align_corners=False) == [15.0]  # half of the last pixel, half of nothing
print("at the outer edge, False:", read([1.0], align_corners=False))
print("nearest:", read([0.2], align_corners=True, mode="nearest"))
