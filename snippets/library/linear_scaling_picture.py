# /// snippet
# title.zh = "图：八个进程，学习率不变、放大、预热后放大"
# title.en = "Picture: eight workers, the rate kept, scaled, and scaled after warm-up"
# topics = ["T25"]
# devices = ["cpu"]
# timeout = 120
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.optim.lr_scheduler import LinearLR

torch.set_num_threads(1)  # the layers are small: two threads would wait for each other
torch.set_default_dtype(torch.float64)
WORKERS, SAMPLES, BATCH, EPOCHS, WARM, RATE = 8, 2048, 16, 10, 4, 0.03
make = torch.Generator().manual_seed(0)
X = torch.randn(SAMPLES, 16, generator=make)
Y = (X @ torch.randn(16, 1, generator=make) / 4).sin() + (X @ torch.randn(16, 1, generator=make) / 4).tanh() / 2


def train(seed, workers, rate, warm):
    """Train with `workers` batches in each step; return the rate before and the loss after each epoch."""
    torch.manual_seed(seed)
    widths = [nn.Linear(16, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU()]
    net, loss_of = nn.Sequential(*widths, nn.Linear(48, 1)), nn.MSELoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=0.9)
    steps = SAMPLES // (BATCH * workers)  # in an epoch
    rise = LinearLR(optimizer, 1 / workers, total_iters=warm * steps) if warm else LinearLR(optimizer, 1.0)
    shuffle, rates, losses = torch.Generator().manual_seed(1), [], []
    for _ in range(EPOCHS):
        rates.append(rise.get_last_lr()[0])
        for batch in torch.randperm(SAMPLES, generator=shuffle).view(steps, -1):
            optimizer.zero_grad()
            loss_of(net(X[batch]), Y[batch]).backward()
            optimizer.step()
            rise.step()
        with torch.no_grad():
            losses.append(loss_of(net(X), Y).item())
    return torch.tensor(rates), torch.tensor(losses)


ways = {
    "1 worker": (1, RATE, 0),
    "8 workers, same rate": (WORKERS, RATE, 0),
    "8 workers, 8 x rate": (WORKERS, WORKERS * RATE, 0),
    "8 workers, 8 x rate after warm-up": (WORKERS, WORKERS * RATE, WARM),
}
figure, (above, below) = plt.subplots(2, 1, figsize=(6.4, 4.6), sharex=True, layout="constrained")
means = []
print(f"{'mean loss of 3 seeds after epoch':34}", *(f"{epoch:6}" for epoch in [1, 2, 3, EPOCHS]))
for (name, way), style in zip(ways.items(), ["k-", "C0--", "C3:", "C2-."], strict=True):
    (rates, *_), losses = zip(*(train(seed, *way) for seed in range(3)), strict=True)
    means.append(torch.stack(losses).mean(dim=0))
    print(f"{name:34}", *(f"{means[-1][epoch - 1]:6.3f}" for epoch in [1, 2, 3, EPOCHS]))
    above.plot(range(1, EPOCHS + 1), means[-1], style, label=name)
    below.plot(range(EPOCHS), rates, style)
_, same, scaled, warmed = means
assert (warmed[:3] < scaled[:3]).all()  # the full rate from the first step on goes astray
assert warmed[-1] < same[-1] / 2  # a rate left as it was falls behind
above.set(yscale="log", ylabel="loss")
below.set(xlabel="epochs done", ylabel="learning rate")
above.legend(fontsize=8)
for axes in [above, below]:
    axes.grid(alpha=0.3)
figure.savefig("linear_scaling.png", dpi=150)
