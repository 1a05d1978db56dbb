# /// snippet
# title.zh = "报错：scatter_ 的 index 比 src 大"
# title.en = "Error: the index of scatter_ is larger than src"
# topics = ["T12"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

index = torch.zeros(3, 4, dtype=torch.long)
grown = torch.zeros(3, 3).scatter_(1, index, torch.ones(3, 4))
print("src of 3 x 4 is enough:", grown[0].tolist())
torch.zeros(3, 3).scatter_(1, index, torch.ones(3, 3))
