# /// snippet
# title.zh = "用 apply 初始化：信号能走多深"
# title.en = "Initialising with apply: how deep the signal gets"
# topics = ["T17"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn


class Block(nn.Module):
    """Adds to its input what two layers make of it."""

    def __init__(self, width):
        super().__init__()
        self.first, self.last = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        return x + self.last(self.first(x).relu())


def initialise(module):
    if isinstance(module, nn.Linear):
        nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        nn.init.zeros_(module.bias)
    elif isinstance(module, Block):  # comes after its layers: it has the last word
        nn.init.zeros_(module.last.weight)


print("how far samples lie apart after 5, 10, 15, 20 layers")
torch.manual_seed(0)
x = torch.randn(256, 512)
deep = nn.Sequential(*[layer for _ in range(20) for layer in (nn.Linear(512, 512), nn.ReLU())])
for name in ["as constructed", "after apply"]:
    signal, spread = x, []
    with torch.no_grad():
        for number, layer in enumerate(deep):
            signal = layer(signal)
            if number % 10 == 9:  # after 5, 10, 15, 20 layers
                spread.append(signal.std(dim=0).mean().item())  # how far the samples lie apart
    print(f"{name:14}", *(f"{value:8.0e}" for value in spread))
    deep.apply(initialise)
assert 0.1 < spread[-1] < 10

weight = deep[0].weight
print(f"spread of a weight: {weight.std():.4f}, wanted (2 / 512) ** 0.5 = {(2 / 512) ** 0.5:.4f}")

blocks = nn.Sequential(Block(512), Block(512)).apply(initialise)
print("blocks begin as the identity:", blocks(x).equal(x))
assert blocks(x).equal(x)

try:
    weight.fill_(1.0)  # nn.init switches the graph off by itself; a write of your own does not
except RuntimeError as error:
    print("RuntimeError:", error)
with torch.no_grad():
    weight.fill_(1.0)
