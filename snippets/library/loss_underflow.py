# /// snippet
# title.zh = "float16 的梯度下溢，与损失缩放"
# title.en = "Gradients that underflow in float16, and loss scaling"
# topics = ["T27"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

for dtype in [torch.float16, torch.bfloat16, torch.float32]:
    facts = torch.finfo(dtype)
    name = str(dtype).removeprefix("torch.")
    smallest = facts.tiny * facts.eps  # the last one below the normal numbers
    print(f"{name:8}  largest {facts.max:.3g}, smallest {smallest:.3g},", end=" ")
    print(f"next after 1: {1 + facts.eps:.8g}")

layer = nn.Linear(4, 1, bias=False)
x = torch.tensor([[1.0, 2.0, 3.0, 4.0]])


def gradient(dtype, scale=1.0):
    """Return the gradient of a loss that hardly depends on the output."""
    layer.zero_grad()
    with torch.autocast("cpu", dtype=dtype, enabled=dtype != torch.float32):
        out = layer(x)
    loss = out.float().sum() * 1e-8
    (loss * scale).backward()
    unscaled = layer.weight.grad[0] / scale
    return ", ".join(f"{value:.2e}" for value in unscaled.tolist())


print("float32:                  ", gradient(torch.float32))
print("float16:                  ", gradient(torch.float16))
print("float16, loss times 65536:", gradient(torch.float16, scale=65536.0))
print("bfloat16, unscaled:       ", gradient(torch.bfloat16))
