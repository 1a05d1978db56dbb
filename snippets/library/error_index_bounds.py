# /// snippet
# title.zh = "报错：scatter_ 的下标越界，在 CPU 上"
# title.en = "Error: an index out of bounds in scatter_, on the CPU"
# topics = ["T06", "T12"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

labels = torch.tensor([[2], [-1]])
classes = 4
valid = (labels >= 0) & (labels < classes)
print("rows to look at:", (~valid).nonzero()[:, 0].tolist())
torch.zeros(2, classes).scatter_(1, labels, 1.0)
