# /// snippet
# title.zh = "报错：形状无法广播"
# title.en = "Error: shapes that do not broadcast"
# topics = ["T70"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

a, b = torch.ones(3), torch.ones(4)
print("with a new dimension:", tuple((a[:, None] + b).shape))
a + b
