# /// snippet
# title.zh = "fold 把重叠处相加：除以次数才能还原"
# title.en = "fold adds what overlaps: divide by the count to get back"
# topics = ["T52"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch.nn import functional


def there_and_back(image, **how):
    """Cut windows out and lay them back where they were."""
    return functional.fold(functional.unfold(image, **how), image.shape[2:], **how)


image = torch.arange(1.0, 26.0).view(1, 1, 5, 5)
count = there_and_back(torch.ones_like(image), kernel_size=3)
print("windows that cover each cell:")
for row in count[0, 0].int().tolist():
    print("  ", row)
assert count[0, 0, 2, 2] == 9
assert count[0, 0, 0, 0] == 1

summed = there_and_back(image, kernel_size=3)
assert not torch.equal(summed, image)
assert torch.equal(summed, image * count)
assert torch.equal(summed / count, image)
print("fold(unfold) is image times count: the middle is", summed[0, 0, 2, 2].item(), "= 9 x 13")

tiles = torch.arange(16.0).view(1, 1, 4, 4)
assert torch.equal(there_and_back(tiles, kernel_size=2, stride=2), tiles)  # no overlap
print("stride = kernel: it comes back as it was")

gaps = there_and_back(torch.ones(1, 1, 5, 5), kernel_size=2, stride=2)  # 5 is odd
assert gaps[0, 0, 4].sum() == 0
print("cells that no window reached are 0:", gaps[0, 0, 4].tolist())
