# /// snippet
# title.zh = "报错：多个元素的真假值"
# title.en = "Error: the truth value of several elements"
# topics = ["T70"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

x = torch.tensor([1.0, -1.0])
print("any:", bool((x > 0).any()), "all:", bool((x > 0).all()))
if x > 0:
    print("never printed")
