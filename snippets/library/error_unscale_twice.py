# /// snippet
# title.zh = "报错：梯度还原了两次"
# title.en = "Error: gradients unscaled twice"
# topics = ["T29"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
from torch import nn

layer = nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(layer(torch.ones(1, 2)).sum()).backward()
scaler.unscale_(optimizer)
nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
print("clipped after unscaling once")
scaler.unscale_(optimizer)
