# /// snippet
# title.zh = "报错：没有可以回传的图"
# title.en = "Error: nothing to go backward through"
# topics = ["T41", "T45"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
from torch import nn

layer = nn.Linear(2, 1)
layer(torch.ones(1, 2)).sum().backward()
print("with a graph:", layer.weight.grad.tolist())
with torch.no_grad():
    loss = layer(torch.ones(1, 2)).sum()
print("under no_grad:", loss.requires_grad, loss.grad_fn)
loss.backward()
