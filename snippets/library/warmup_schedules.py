# /// snippet
# title.zh = "图：预热，然后分段下降，三种写法是同一条曲线"
# title.en = "Picture: warm-up, then steps down, one curve written in three ways"
# topics = ["T57"]
# devices = ["cpu"]
# timeout = 90
# ///
import matplotlib.pyplot as plt
import torch
from torch.optim.lr_scheduler import ChainedScheduler, LambdaLR, LinearLR, MultiStepLR, SequentialLR

EPOCHS, WARM, DROPS, TOP = 60, 10, [30, 50], 0.1


def factor(epoch):
    """Grow from a tenth to one in WARM epochs; then a tenth for each drop that is behind."""
    if epoch < WARM:
        return 0.1 + 0.9 * epoch / WARM
    return 0.1 ** sum(epoch >= drop for drop in DROPS)


def rates(make):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=TOP)
    scheduler, seen = make(optimizer), []
    for _ in range(EPOCHS):
        seen.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()  # after the optimizer
    return torch.tensor(seen)


def warm(optimizer):
    return LinearLR(optimizer, start_factor=0.1, total_iters=WARM)


curves = {
    "LambdaLR": rates(lambda o: LambdaLR(o, factor)),
    "SequentialLR": rates(
        # The second one counts from the milestone, so its own start there at zero.
        lambda o: SequentialLR(o, [warm(o), MultiStepLR(o, [d - WARM for d in DROPS])], [WARM])
    ),
    "ChainedScheduler": rates(lambda o: ChainedScheduler([warm(o), MultiStepLR(o, DROPS)])),
}
for name, curve in curves.items():
    print(f"{name:17}", *(f"{epoch}: {curve[epoch]:.4g}" for epoch in [0, 5, 9, 10, 29, 30, 50]))
    torch.testing.assert_close(curve, curves["LambdaLR"])

figure, axes = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
axes.step(range(EPOCHS), curves["LambdaLR"], where="post", color="#3b5bdb")
axes.set(yscale="log", xlabel="epoch", ylabel="learning rate")
axes.axvspan(0, WARM, color="#e7ebfd")
axes.text(WARM / 2, TOP / 80, "warm-up", ha="center", color="#1c2024")
axes.grid(alpha=0.3)
figure.savefig("warmup.png", dpi=150)
