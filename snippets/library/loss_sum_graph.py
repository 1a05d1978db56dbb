# /// snippet
# title.zh = "累加损失：不取数，计算图就越接越长"
# title.en = "Summing losses: take the number, or the graph grows"
# topics = ["T54"]
# devices = ["cpu"]
# timeout = 60
# ///
import weakref

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
batches = torch.randn(50, 64, 16)


def nodes(total):
    """Count the nodes of the graph that a sum keeps alive."""
    seen, waiting = set(), [total.grad_fn] if isinstance(total, torch.Tensor) else []
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting.extend(following for following, _ in node.next_functions)
    return len(seen)


def epoch(take, *, backward=True):
    alive, total = weakref.WeakSet(), 0.0

    def pack(tensor):
        alive.add(kept := tensor.detach())  # itself, it would hold its own graph
        return kept

    with saved_tensors_hooks(pack, lambda kept: kept):
        for x in batches:
            loss = net(x).square().mean()
            if backward:
                loss.backward()
            total += take(loss)
    del loss
    return round(torch.as_tensor(total).item(), 4), nodes(total), sum(kept.nbytes for kept in alive)


runs = {
    "train, += loss": epoch(lambda loss: loss),
    "train, += loss.item()": epoch(lambda loss: loss.item()),
    "validate, += loss": epoch(lambda loss: loss, backward=False),
    "validate, += loss.item()": epoch(lambda loss: loss.item(), backward=False),
}
print("                             sum  nodes  bytes kept")
for name, (total, count, size) in runs.items():
    print(f"{name:25} {total:7} {count:6} {size:11}")
assert runs["train, += loss"][1] > 0 == runs["train, += loss"][2]  # backward() freed the tensors
assert runs["validate, += loss"][2] > 0
assert all(run[1:] == (0, 0) for name, run in runs.items() if "item" in name)
