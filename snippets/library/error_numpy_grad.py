# /// snippet
# title.zh = "报错：需要梯度的张量不能转成 NumPy"
# title.en = "Error: numpy() of a tensor that requires grad"
# topics = ["T66"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

weight = torch.ones(2, requires_grad=True)
print("detached:", weight.detach().numpy())
weight.numpy()
