# /// snippet
# title.zh = "scatter_ 写到同一格会怎样"
# title.en = "scatter_: two values for one cell"
# topics = ["T12"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
index = torch.tensor([0, 0, 0, 2], device=device)  # three values for cell 0
values = torch.tensor([5.0, 1.0, 3.0, 8.0], device=device)
empty = torch.zeros(4, device=device)

kept = empty.scatter(0, index, values)[0].item()
print("scatter_ keeps one of the three:", kept in {5.0, 1.0, 3.0})

print("sum :", empty.scatter_add(0, index, values).tolist())
for how in ["prod", "mean", "amax", "amin"]:
    result = empty.scatter_reduce(0, index, values, reduce=how, include_self=False)
    print(f"{how:4}:", result.tolist())

total = torch.ones(4, device=device)
print("with the old value:", total.scatter_reduce(0, index, values, reduce="sum").tolist())
