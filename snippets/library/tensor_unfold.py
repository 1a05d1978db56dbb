# /// snippet
# title.zh = "Tensor.unfold：滑动窗口的视图，不复制"
# title.en = "Tensor.unfold: sliding windows as a view"
# topics = ["T52"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch.nn import functional

series = torch.arange(10)
windows = series.unfold(0, 4, 3)  # along dimension 0, four long, three apart
print("series.unfold(0, 4, 3):", windows.tolist())
assert windows.data_ptr() == series.data_ptr()
assert windows.stride() == (3, 1)

image = torch.randn(2, 3, 8, 9)
view = image.unfold(2, 3, 1).unfold(3, 3, 1)  # height, then width
assert view.shape == (2, 3, 6, 7, 3, 3)  # the windows come last
assert view.untyped_storage().data_ptr() == image.untyped_storage().data_ptr()
print("windows of an image:", tuple(view.shape), "in the memory of the image")

columns = view.permute(0, 1, 4, 5, 2, 3).reshape(2, 27, 42)  # here it is copied
assert torch.equal(columns, functional.unfold(image, 3))
print("permuted and reshaped: as functional.unfold,", tuple(columns.shape))

counts = torch.arange(16).view(1, 1, 4, 4)
try:
    functional.unfold(counts, 2)
except NotImplementedError as error:
    print("functional.unfold of integers:", error)
print("Tensor.unfold of integers:", counts.unfold(2, 2, 2).unfold(3, 2, 2).sum(dim=(-2, -1))[0, 0].tolist())
