# /// snippet
# title.zh = "报错：转置之后 view"
# title.en = "Error: view after a transpose"
# topics = ["T47"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

x = torch.arange(6).view(2, 3).t()
print("contiguous:", x.is_contiguous(), "strides:", x.stride())
print("reshape copies:", x.reshape(6).tolist())
x.view(6)
