# /// snippet
# title.zh = "没有梯度的偏置，Adam 照样推着走"
# title.en = "A bias without a gradient, and Adam moves it all the same"
# topics = ["T09"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.nn import functional

torch.set_num_threads(1)  # small products are quicker without company
RATE = 0.01


def travelled(make, steps=20):
    """Train a while; give the way of a bias, in learning rates, and the largest gradients."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 49, 2))
    optimizer = make(net[0].parameters(), lr=RATE)
    start = net[0].bias.detach().clone()
    noise = signal = 0.0
    for _ in range(steps):
        x = torch.randn(8, 3, 9, 9)
        optimizer.zero_grad()
        functional.cross_entropy(net(x), (x.mean(dim=(1, 2, 3)) > 0).long()).backward()
        optimizer.step()
        noise = max(noise, net[0].bias.grad.abs().max().item())
        signal = max(signal, net[0].weight.grad.abs().max().item())
    return (net[0].bias - start).abs().max().item() / RATE, noise, signal


for name, make in [("SGD", torch.optim.SGD), ("Adam", torch.optim.Adam)]:
    way, noise, signal = travelled(make)
    assert noise < 1e-5 < 1e-2 < signal
    print(f"{name:4} gradients: weight above 0.01, bias below 0.00001;", end=" ")
    print("bias moved", "more" if way > 1 else "less", "than one learning rate")
    assert (way > 1) == (name == "Adam")
