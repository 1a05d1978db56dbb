# /// snippet
# title.zh = "报错：item() 要一个元素"
# title.en = "Error: item() of several elements"
# topics = ["T70"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

losses = torch.tensor([1.0, 2.0, 3.0])
print("mean:", losses.mean().item(), "all:", losses.tolist())
losses.item()
