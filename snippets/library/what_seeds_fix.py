# /// snippet
# title.zh = "种子管什么，不管什么"
# title.en = "What a seed fixes, and what it does not"
# topics = ["T40"]
# devices = ["cpu"]
# timeout = 60
# ///
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DATA = TensorDataset(torch.arange(6.0).view(6, 1), torch.arange(6.0).view(6, 1))


def train(seed, *, dropout=0.0, own=False):
    """Train two epochs; return the weights, and the order in which the samples came."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed) if own else None
    net = nn.Sequential(nn.Linear(1, 8), nn.Dropout(dropout), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    order = []
    for _ in range(2):
        for x, y in DataLoader(DATA, batch_size=2, shuffle=True, generator=generator):
            order += x.flatten().int().tolist()
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
    return torch.cat([weight.flatten() for weight in net.parameters()]), order


once, again, other = train(7)[0], train(7)[0], train(8)[0]
print("same seed, same weights, bit for bit:", once.equal(again), "| another seed:", once.equal(other))
assert once.equal(again)
assert not once.equal(other)

print("order of the samples after dropout was added (second epoch):")
for own in [False, True]:
    plain, dropped = train(7, own=own)[1][6:], train(7, dropout=0.5, own=own)[1][6:]
    print(f"  loader with a generator of its own {own!s:5}: {plain} {dropped}, same {plain == dropped}")
    assert (plain == dropped) == own

torch.manual_seed(7)
first = random.random(), np.random.rand()  # noqa: NPY002 - the global generator is what it is about
torch.manual_seed(7)
second = random.random(), np.random.rand()  # noqa: NPY002
print("torch.manual_seed also seeds random:", first[0] == second[0], "| NumPy:", first[1] == second[1])
assert first[0] != second[0]
assert first[1] != second[1]
