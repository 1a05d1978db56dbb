# /// snippet
# title.zh = "报错：掩码的形状对不上"
# title.en = "Error: a mask of another shape"
# topics = ["T70"]
# devices = ["cpu"]
# timeout = 60
# raises = "IndexError"
# ///
import torch

x = torch.arange(6).view(2, 3)
mask = torch.tensor([True, False, True])
print("columns:", x[:, mask].tolist())
x[mask]
