# /// snippet
# title.zh = "优化器状态占多少字节"
# title.en = "How many bytes an optimizer keeps"
# topics = ["T05"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn


def state_bytes(optimizer):
    """Add up all tensors that an optimizer remembers from one step to the next."""
    held = [value for state in optimizer.state.values() for value in state.values()]
    return sum(value.nbytes for value in held if isinstance(value, torch.Tensor))


makers = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1),
    "SGD, momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "RMSprop": torch.optim.RMSprop,
    "Adagrad": torch.optim.Adagrad,
    "Adam": torch.optim.Adam,
    "AdamW": torch.optim.AdamW,
    "Adam, amsgrad": lambda p: torch.optim.Adam(p, amsgrad=True),
    "Adafactor": torch.optim.Adafactor,
}
# How many numbers each keeps for one parameter; Adafactor keeps one for each row and each column.
expected = {"SGD": 0, "SGD, momentum": 1, "RMSprop": 1, "Adagrad": 1, "Adam": 2, "AdamW": 2, "Adam, amsgrad": 3}

print("                before      after  times the parameters")
for name, make in makers.items():
    layer = nn.Linear(1000, 1000)
    weights = sum(p.nbytes for p in layer.parameters())
    optimizer = make(layer.parameters())
    before = state_bytes(optimizer)
    layer(torch.ones(2, 1000)).sum().backward()
    optimizer.step()
    after = state_bytes(optimizer)
    if name in expected:
        assert round(after / weights) == expected[name]
    else:
        assert after < weights / 300
    print(f"{name:15} {before:6,} {after:10,}  {after / weights:.3f}")
print(f"{'parameters':15}        {weights:10,}")
