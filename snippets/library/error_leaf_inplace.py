# /// snippet
# title.zh = "报错：原地修改叶子张量"
# title.en = "Error: a leaf is changed in place"
# topics = ["T66"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

weight = torch.ones(2, requires_grad=True)
with torch.no_grad():
    weight += 1
print("under no_grad:", weight)
weight += 1
