# /// snippet
# title.zh = "线性缩放与预热"
# title.en = "Linear scaling and warm-up"
# topics = ["T25"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch.optim.lr_scheduler import ConstantLR, LinearLR, SequentialLR

WORKERS = 8
generator = torch.Generator().manual_seed(0)
X = torch.randn(WORKERS, 4, 3, generator=generator)  # a batch of 4 for each worker
Y = X @ torch.tensor([1.0, -2.0, 0.5])


def walk(batches, rate):
    """Take a step of SGD on each batch in turn; return the weights."""
    weight = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=rate)
    for x, y in batches:
        optimizer.zero_grad()
        (x @ weight - y).square().mean().backward()
        optimizer.step()
    return weight.detach()


alone = list(zip(X, Y, strict=True))  # one worker, 8 steps
together = [(X.flatten(0, 1), Y.flatten())]  # 8 workers, one step on their mean gradient
print("rate     scaled by 8  not scaled   distance from the way of one worker")
for rate in [1e-4, 1e-3, 1e-2, 1e-1]:
    goal = walk(alone, rate)
    scaled, same = walk(together, WORKERS * rate), walk(together, rate)
    far = [((found - goal).norm() / goal.norm()).item() for found in (scaled, same)]
    print(f"{rate:<8g} {far[0]:11.1%} {far[1]:11.1%}")
    assert (far[0] < 0.1) == (rate < 0.03)

optimizer = torch.optim.SGD([torch.zeros(1)], lr=WORKERS * 0.1)
rising = LinearLR(optimizer, start_factor=1 / WORKERS, total_iters=5)
flat = ConstantLR(optimizer, factor=1.0)
schedule = SequentialLR(optimizer, [rising, flat], milestones=[5])
rates = []
for _ in range(8):
    rates.append(schedule.get_last_lr()[0])
    optimizer.step()
    schedule.step()
print("warm-up:", *[f"{rate:.2f}" for rate in rates])
assert abs(rates[0] - 0.1) < 1e-6
assert abs(rates[-1] - 0.8) < 1e-6
