# /// snippet
# title.zh = "meshgrid 的两种下标约定"
# title.en = "meshgrid: the two indexings"
# topics = ["T51"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch

x = torch.tensor([1, 2, 3])
y = torch.tensor([40, 50])

first, second = torch.meshgrid(x, y, indexing="ij")
print("ij:", tuple(first.shape), first.tolist(), second.tolist())
for i in range(3):
    for j in range(2):
        assert (first[i, j], second[i, j]) == (x[i], y[j])

across, down = torch.meshgrid(x, y, indexing="xy")
print("xy:", tuple(across.shape), across.tolist(), down.tolist())
for row in range(2):
    for column in range(3):
        assert (across[row, column], down[row, column]) == (x[column], y[row])

# the one is the other with its first two dimensions swapped
assert torch.equal(across, first.T)
assert torch.equal(down, second.T)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    silent, _ = torch.meshgrid(x, y)  # without the argument
assert torch.equal(silent, first)
print("without it: as ij, and", str(caught[0].message).partition(" (")[0])

# what comes back are expanded views
assert first.stride() == (1, 0)
assert first.data_ptr() == x.data_ptr()
try:
    first += 1
except RuntimeError as error:
    print("writing into it:", str(error).partition(". ")[0])

pairs = torch.stack([first, second], dim=-1).reshape(-1, 2)
assert torch.equal(pairs, torch.cartesian_prod(x, y))
print("all pairs:", pairs.tolist())
