# /// snippet
# title.zh = "gather：每一行各取所需"
# title.en = "gather: every row picks for itself"
# topics = ["T11"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import itertools

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
prices = torch.tensor([[9, 4, 7], [3, 8, 5]], device=device)  # 2 shops, 3 goods
wanted = torch.tensor([[2, 0], [1, 1]], device=device)  # each shop: which goods

print("along dim 1:", prices.gather(1, wanted).tolist())
cheapest = prices.argmin(dim=0, keepdim=True)  # for each of the goods: which shop
print("along dim 0:", prices.gather(0, cheapest).tolist())

# The same by hand, in three dimensions: only the coordinate at `dim` is replaced.
block = torch.arange(24, device=device).view(2, 3, 4)
for dim in range(3):
    index = torch.randint(0, block.size(dim), (2, 3, 4), device=device)
    picked = block.gather(dim, index)
    for where in itertools.product(range(2), range(3), range(4)):
        source = list(where)
        source[dim] = index[where].item()
        assert picked[where] == block[tuple(source)]
    print(f"dim {dim}: 24 cells agree with the formula")
