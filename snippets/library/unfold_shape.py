# /// snippet
# title.zh = "unfold 的形状：几行几列"
# title.en = "The shape of unfold: how many rows and columns"
# topics = ["T52"]
# devices = ["cpu"]
# timeout = 60
# ///
import itertools

import torch
from torch.nn import functional


def places(size, kernel, stride, padding, dilation):
    """Count where a window of this kind can stand on one side."""
    reach = dilation * (kernel - 1) + 1  # from its first point to its last
    return (size + 2 * padding - reach) // stride + 1


image = torch.arange(2 * 3 * 8 * 9, dtype=torch.float32).view(2, 3, 8, 9)
tried = 0
for kernel, stride, padding, dilation in itertools.product([1, 2, 3], [1, 2], [0, 1], [1, 2]):
    high = places(8, kernel, stride, padding, dilation)
    wide = places(9, kernel, stride, padding, dilation)
    found = functional.unfold(image, kernel, stride=stride, padding=padding, dilation=dilation)
    assert found.shape == (2, 3 * kernel * kernel, high * wide)
    tried += 1
print(tried, "combinations agree with the formula")

small = torch.arange(16.0).view(1, 1, 4, 4)
columns = functional.unfold(small, kernel_size=3)
print("4 x 4, windows of 3 x 3:", tuple(columns.shape))
for where in range(4):
    top, left = divmod(where, 2)
    window = small[0, 0, top : top + 3, left : left + 3]
    assert torch.equal(columns[0, :, where], window.flatten())
    print(f"  column {where}:", [int(value) for value in columns[0, :, where]])

# several channels: all of the first channel, then all of the second
two = torch.stack([small[0, 0], -small[0, 0]])[None]
assert torch.equal(functional.unfold(two, 3)[0, 9:], -columns[0])
try:
    functional.unfold(small, kernel_size=5)
except RuntimeError as error:
    print(error)
