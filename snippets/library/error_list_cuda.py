# /// snippet
# title.zh = "报错：列表没有 .cuda"
# title.en = "Error: a list has no .cuda"
# topics = ["T43"]
# devices = ["cpu"]
# timeout = 60
# raises = "AttributeError"
# ///
import torch

target = {"boxes": [torch.ones(2, 4), torch.ones(2, 4)], "file": "cat.png"}
stacked = torch.stack(target["boxes"])
print("stacked, it is one tensor that can move:", tuple(stacked.shape), hasattr(stacked, "cuda"))
target["boxes"].cuda()
