# /// snippet
# title.zh = "报错：给标量张量加下标"
# title.en = "Error: an index into a scalar tensor"
# topics = ["T54"]
# devices = ["cpu"]
# timeout = 60
# raises = "IndexError"
# ///
import torch

loss = torch.tensor([1.0, 3.0], requires_grad=True).mean()
print("dimensions:", loss.dim(), "item():", loss.item())
total = 0.0
total += loss.data[0]
