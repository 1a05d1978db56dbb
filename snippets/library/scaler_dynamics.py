# /// snippet
# title.zh = "GradScaler：溢出减半，跳过这一步，再慢慢涨回来"
# title.en = "GradScaler: halve on overflow, skip the step, grow again"
# topics = ["T28", "T27"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

weight = nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([weight], lr=0.125)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=3)

print("step  scale  gradient found  weight after  next scale")
for step in range(9):
    scale = scaler.get_scale()
    optimizer.zero_grad()
    loss = weight * (float("inf") if step == 4 else 1.0)
    scaler.scale(loss).backward()
    found = weight.grad.item()  # still multiplied by the scale
    scaler.step(optimizer)  # divides by it, and steps only if all is finite
    scaler.update()  # once for each step
    now = scaler.get_scale()
    print(f"{step:4} {scale:6g} {found:15g} {weight.item():13g} {now:11g}")
print("to be saved:", scaler.state_dict())

defaults = torch.amp.GradScaler("cpu").state_dict()
print("defaults:", {name: defaults[name] for name in ["scale", "growth_interval"]})

optimizer.zero_grad()
for part in [1.0, 2.0]:  # accumulated, still scaled
    scaler.scale(weight * part).backward()
print("before unscale_:", weight.grad.item(), end=" | ")
scaler.unscale_(optimizer)
print("after, fit for clipping:", weight.grad.item())

off = torch.amp.GradScaler("cpu", enabled=False)
print("enabled=False leaves a loss as it is:", off.scale(weight * 0 + 3).item())
