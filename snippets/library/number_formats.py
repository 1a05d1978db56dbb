# /// snippet
# title.zh = "数值格式：范围、步长与累加"
# title.en = "Number formats: range, step and sums"
# topics = ["T74"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

print("format          bits  largest     step at 1  smallest normal")
for dtype in [torch.float32, torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2]:
    info = torch.finfo(dtype)
    print(f"{str(dtype)[6:]:15} {info.bits:4}  {info.max:<10.4g}  {info.eps:<9.4g}  {info.tiny:.3g}")

x = torch.tensor(1.0)
for dtype in [torch.bfloat16, torch.float16]:
    weight = x.to(dtype)
    for _ in range(1000):
        weight += torch.tensor(0.001, dtype=dtype)
    print(f"1 + 1000 steps of 0.001 in {str(dtype)[6:]}: {weight.item():g}")
weight = x.clone()
for _ in range(1000):
    weight += torch.tensor(0.001, dtype=torch.bfloat16)
print(f"the same with a float32 weight: {weight.item():.3f}")

print("70000 in float16:", torch.tensor(7e4).half().item(), "in bfloat16:", torch.tensor(7e4).bfloat16().item())
big = torch.tensor([300.0, 600.0])
print(
    "to float8_e4m3fn:",
    big.to(torch.float8_e4m3fn).float().tolist(),
    "with a scale:",
    ((big / 2).to(torch.float8_e4m3fn).float() * 2).tolist(),
)
many = torch.full((4096,), 0.1, dtype=torch.bfloat16)
total = torch.tensor(0.0, dtype=torch.bfloat16)
for value in many:
    total += value  # stops when a step is less than half of the distance to the next number
print("0.1 added 4096 times in bfloat16:", total.item(), "by torch.sum:", many.sum().item())
