# /// snippet
# title.zh = "报错：backward 的起点不是一个数"
# title.en = "Error: backward from more than one number"
# topics = ["T66"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

x = torch.ones(3, requires_grad=True)
loss = torch.nn.functional.mse_loss(2 * x, torch.zeros(3), reduction="none")
loss.mean().backward(retain_graph=True)
print("of the mean:", x.grad)
loss.backward()
