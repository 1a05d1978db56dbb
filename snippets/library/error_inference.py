# /// snippet
# title.zh = "报错：推理张量进了计算图"
# title.en = "Error: an inference tensor in a graph"
# topics = ["T45"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

weight = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    features = torch.ones(2) * 3
(features.clone() * weight).sum().backward()
print("a clone is an ordinary tensor:", weight.grad.tolist())
features * weight
