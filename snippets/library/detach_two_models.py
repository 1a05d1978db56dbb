# /// snippet
# title.zh = "模型 A 不动，只训练后面的 B：三种写法"
# title.en = "Train B behind a model A that stays: three ways"
# topics = ["T41"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn


def train(way):
    """Take 20 steps; tell how far each model moved, and whether A got gradients."""
    torch.manual_seed(0)
    a, b = nn.Linear(4, 8), nn.Linear(8, 1)
    x, y = torch.randn(32, 4), torch.randn(32, 1)
    before = [model.weight.detach().clone() for model in (a, b)]
    optimizer = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
    if way == "requires_grad_(False)":
        a.requires_grad_(False)
    for _ in range(20):
        if way == "no_grad":
            with torch.no_grad():
                features = a(x)
        else:
            features = a(x)
        if way == "detach":
            features = features.detach()
        optimizer.zero_grad()
        (b(features) - y).square().mean().backward()
        optimizer.step()
    moved = [(model.weight - old).abs().sum().item() for model, old in zip((a, b), before, strict=True)]
    return moved, a.weight.grad is not None, b.weight.detach()


results = {way: train(way) for way in ["nothing", "detach", "no_grad", "requires_grad_(False)"]}
for way, ((a_moved, b_moved), has_grad, _) in results.items():
    print(f"{way:22} A moved {a_moved:.3f}  B moved {b_moved:.3f}  A has gradients: {has_grad}")
    assert (a_moved > 0) == has_grad == (way == "nothing")
    assert b_moved > 0
same = [results[way][2] for way in ["detach", "no_grad", "requires_grad_(False)"]]
assert torch.equal(same[0], same[1])
assert torch.equal(same[0], same[2])
print("the three leave the same B, to the last bit")
