# /// snippet
# title.zh = "布尔掩码：取、写、组合"
# title.en = "Boolean masks: read, write, combine"
# topics = ["T70"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

x = torch.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])
mask = x > 0
print("x[mask] is a row, its length depends on the values:", x[mask].tolist())
print("where keeps the shape:", torch.where(mask, x, 0.0).tolist())
print("masked_fill:", x.masked_fill(~mask, float("-inf")).tolist())
print("mean of the chosen:", x[mask].mean().item(), "=", ((x * mask).sum() / mask.sum()).item())
print("a row mask chooses whole rows:", x[torch.tensor([False, True])].tolist())
y = x.clone()
y[mask] = 0.0  # writes
y[mask].add_(9.0)  # changes a copy
print("after writing through the mask:", y.tolist())

for name, combine in {"&": lambda: (x > 0) & (x < 4), "and": lambda: (x > 0) and (x < 4)}.items():
    try:
        print(name, combine().tolist())
    except RuntimeError as error:
        print(name, error)

bad = torch.tensor([0.0, float("nan")])
print(
    "nan times a mask of zeros:",
    (bad * torch.tensor([1.0, 0.0])).tolist(),
    "where:",
    torch.where(bad.isnan(), 0.0, bad).tolist(),
)
positions = torch.tensor([0, 0, 2])
counts = torch.zeros(3).index_put_((positions,), torch.ones(3), accumulate=True)
print("index_put_ with accumulate counts:", counts.tolist())
