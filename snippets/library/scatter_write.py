# /// snippet
# title.zh = "scatter_：把值送到指定的格子"
# title.en = "scatter_: send values to chosen cells"
# topics = ["T12"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
seats = torch.zeros(2, 4, dtype=torch.long, device=device)
guests = torch.tensor([[11, 12, 13], [21, 22, 23]], device=device)
index = torch.tensor([[3, 0], [1, 2]], device=device)

seats.scatter_(1, index, guests)  # the third column of guests is not asked for
print("written:", seats.tolist())

labels = torch.tensor([2, 0, 1], device=device)
one_hot = torch.zeros(3, 3, device=device).scatter_(1, labels[:, None], 1.0)
print("one-hot:", one_hot.tolist())

for name, shape in [("wider than src", (2, 4)), ("taller than self", (3, 1))]:
    try:
        seats.scatter_(1, torch.zeros(shape, dtype=torch.long, device=device), guests)
    except RuntimeError as error:
        print(f"{name}: {error}")
try:
    seats.scatter_(1, index, guests.float())
except RuntimeError as error:
    print(f"another dtype: {error}")
