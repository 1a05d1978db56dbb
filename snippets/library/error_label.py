# /// snippet
# title.zh = "报错：标签越界，在 CPU 上"
# title.en = "Error: a label out of range, on the CPU"
# topics = ["T06"]
# devices = ["cpu"]
# timeout = 60
# raises = "IndexError"
# ///
import torch
from torch.nn import functional

scores = torch.zeros(2, 3)  # three classes: 0, 1 and 2
ignored = functional.cross_entropy(scores, torch.tensor([0, -1]), ignore_index=-1)
print(f"-1 named as ignore_index: {ignored:.4f}")
functional.cross_entropy(scores, torch.tensor([0, -1]))
