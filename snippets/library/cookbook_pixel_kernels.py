# /// snippet
# title.zh = "每个像素一个卷积核：permute、view、expand、cos、matmul、unfold"
# title.en = "A kernel for each pixel: permute, view, expand, cos, matmul, unfold"
# topics = ["T50", "T14", "T47"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
n, c, h, w = 2, 3, 5, 6  # images
waves, k = 4, 3  # cosines for each pixel, side of the kernels

image = torch.randn(n, c, h, w, dtype=torch.float64)
predict = nn.Conv2d(c, 3 * waves, kernel_size=1).double()
out = predict(image)  # (n, 3 * waves, h, w)

# channels last, and each pixel a row; height and width still lie in one even step
moved = out.permute(0, 2, 3, 1)
rows = moved.view(n, h * w, 3, waves)
assert torch.equal(rows, moved.contiguous().view(n, h * w, 3, waves))
assert torch.equal(rows[1, 2 * w + 4], out[1, :, 2, 4].reshape(3, waves))
print("view after permute: works here, is_contiguous() is", moved.is_contiguous())
down, right, weight = rows.unbind(dim=2)  # three of (n, h * w, waves)

# one cosine for each wave, over the k x k places of the kernel
places = (torch.arange(k, dtype=torch.float64) + 0.5) * torch.pi / k
u = places.view(1, 1, 1, k, 1).expand(n, h * w, waves, k, k)
v = places.view(1, 1, 1, 1, k).expand(n, h * w, waves, k, k)
assert u.untyped_storage().nbytes() == places.nbytes  # expanded, not copied
cosines = torch.cos(down[..., None, None] * u) * torch.cos(right[..., None, None] * v)

# their weighted sum: (1, waves) @ (waves, k * k) for each pixel
kernels = torch.matmul(weight.softmax(dim=-1)[:, :, None], cosines.flatten(3)).squeeze(2)
print("kernels:", tuple(kernels.shape), "- one of", k * k, "numbers for each of", h * w, "pixels")

# each window meets the kernel of its own pixel
windows = functional.unfold(image, k, padding=k // 2).view(n, c, k * k, h * w)
result = torch.einsum("ncki,nik->nci", windows, kernels).view(n, c, h, w)
print("result: ", tuple(result.shape))

# the same by hand, for one pixel
padded = functional.pad(image, (1, 1, 1, 1))
expected = (padded[1, :, 2:5, 4:7] * kernels[1, 2 * w + 4].view(k, k)).sum(dim=(1, 2))
assert torch.allclose(result[1, :, 2, 4], expected)
print("checked by hand for one pixel")
result.square().mean().backward()
assert predict.weight.grad.abs().sum() > 0
print("and gradients reach the layer that predicts the kernels")
