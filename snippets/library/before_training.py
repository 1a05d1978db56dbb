# /// snippet
# title.zh = "长跑之前的五分钟：六项检查"
# title.en = "Five minutes before a long run: six checks"
# topics = ["T61"]
# devices = ["cpu"]
# timeout = 120
# ///
import math

import torch
from torch import nn

torch.set_num_threads(1)  # layers this small gain nothing from more
CLASSES = 4
COUNTED = (6 * 32 + 32) + (32 * 32 + 32) + (32 * CLASSES + CLASSES)
loss_of = nn.CrossEntropyLoss()


class Net(nn.Module):
    def __init__(self, *, forgotten):
        super().__init__()
        layers = [nn.Linear(6, 32), nn.Linear(32, 32)]
        self.layers = layers if forgotten else nn.ModuleList(layers)  # a list hides its layers
        self.head = nn.Linear(32, CLASSES)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return self.head(x)


def check(net, x, y):
    """Yield what was looked at, and whether it is as it should be."""
    yield "labels lie in 0..classes - 1", bool(((y >= 0) & (y < CLASSES)).all())
    yield "inputs are finite and near 1 in size", bool(x.isfinite().all()) and 0.1 < x.std() < 10
    start = loss_of(net(x), y)
    yield "the first loss is near log(classes)", abs(start.item() - math.log(CLASSES)) < 0.5
    start.backward()
    yield "as many parameters as counted by hand", sum(w.numel() for w in net.parameters()) == COUNTED
    yield "each of them gets a gradient", all(w.grad is not None and w.grad.any() for w in net.parameters())
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(150):
        optimizer.zero_grad()
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()
    yield "one batch can be learnt by heart", loss.item() < 0.01


torch.manual_seed(0)
x, y = torch.randn(16, 6), torch.randint(CLASSES, (16,))
for title, fault in {
    "as it should be": (Net(forgotten=False), x, y),
    "pixels from 0 to 255": (Net(forgotten=False), x * 74 + 127, y),
    "layers in a plain list": (Net(forgotten=True), x, y),
}.items():
    verdicts = dict(check(*fault))
    print(title)
    print(*(f"  {'ok' if fine else 'NO':3} {what}" for what, fine in verdicts.items()), sep="\n")
    assert all(verdicts.values()) == (title == "as it should be")
