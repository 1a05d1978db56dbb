# /// snippet
# title.zh = "给图像的每个像素配上坐标"
# title.en = "Coordinates for each pixel of an image"
# topics = ["T51"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch.nn import functional

height, width = 3, 5
image = torch.arange(height * width, dtype=torch.float32).view(1, 1, height, width)

# an image is indexed [row, column]: so ask for rows first, by ij
rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
assert rows.shape == columns.shape == image.shape[-2:]
assert torch.equal(image[0, 0, rows, columns], image[0, 0])
print("distance to the middle:")
for line in ((rows - 1) ** 2 + (columns - 2) ** 2).tolist():
    print("  ", line)

# the same numbers by broadcasting alone, without a grid
alone = (torch.arange(height)[:, None] - 1) ** 2 + (torch.arange(width) - 2) ** 2
assert torch.equal(alone, (rows - 1) ** 2 + (columns - 2) ** 2)

# grid_sample wants (x, y) in this order, from -1 to 1
v, u = torch.meshgrid(torch.linspace(-1, 1, height), torch.linspace(-1, 1, width), indexing="ij")
grid = torch.stack([u, v], dim=-1)[None]  # (1, height, width, 2)
same = functional.grid_sample(image, grid, align_corners=True)
assert torch.allclose(same, image, atol=1e-5)
mirrored = functional.grid_sample(image, grid * torch.tensor([-1.0, 1.0]), align_corners=True)
assert torch.allclose(mirrored, image.flip(-1), atol=1e-5)
print("first row:", image[0, 0, 0].int().tolist(), "mirrored:", mirrored[0, 0, 0].round().int().tolist())

swapped = functional.grid_sample(image, grid.flip(-1), align_corners=True)  # (y, x) by mistake
assert swapped.shape == image.shape
assert not torch.allclose(swapped, image)
first = [round(value, 1) for value in swapped[0, 0, 0].tolist()]
print("x and y swapped: no error, the shape is right, and the first row", first)
