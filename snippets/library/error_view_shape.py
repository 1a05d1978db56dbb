# /// snippet
# title.zh = "报错：形状装不下这些元素"
# title.en = "Error: a shape for another number of elements"
# topics = ["T47", "T50"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

size = 4
steps = torch.arange(size)
print("one row of them:", tuple(steps.view(1, 1, 1, 1, size).shape))
print("a square by expand:", tuple(steps.expand(1, 1, 1, size, size).shape))
steps.view(1, 1, 1, size, size)
