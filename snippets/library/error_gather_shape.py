# /// snippet
# title.zh = "报错：gather 的 index 太大"
# title.en = "Error: the index of gather is too large"
# topics = ["T11"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

values = torch.arange(9.0).view(3, 3)
wide = torch.zeros(3, 5, dtype=torch.long)  # along dim it may be longer
print("3 x 5 along dim 1:", tuple(values.gather(1, wide).shape))
tall = torch.zeros(4, 2, dtype=torch.long)
values.gather(1, tall)
