# /// snippet
# title.zh = "用 unfold 和矩阵乘法做卷积"
# title.en = "Convolution by unfold and a matrix product"
# topics = ["T52"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch
from torch.nn import functional

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
image = torch.randn(2, 3, 8, 9, dtype=torch.float64).to(device)
weight = torch.randn(4, 3, 3, 3, dtype=torch.float64).to(device)
bias = torch.randn(4, dtype=torch.float64).to(device)

for stride, padding, dilation in [(1, 0, 1), (1, 1, 1), (2, 1, 1), (1, 2, 2)]:
    how = {"stride": stride, "padding": padding, "dilation": dilation}
    expected = functional.conv2d(image, weight, bias, **how)
    columns = functional.unfold(image, kernel_size=3, **how)  # (2, 27, L)
    product = weight.flatten(1) @ columns + bias[:, None]  # (4, 27) @ (2, 27, L) -> (2, 4, L)
    result = product.unflatten(2, expected.shape[2:])  # L back to height and width
    assert torch.allclose(result, expected)
    print(f"{tuple(columns.shape)!s:12} -> {tuple(result.shape)!s:14} as conv2d with {how}")

grown = functional.unfold(image, 3, padding=1).numel() / image.numel()
print(f"the columns hold {grown:g} times as many numbers as the image")
assert grown == 9
