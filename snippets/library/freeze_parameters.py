# /// snippet
# title.zh = "冻结参数：走一步，看谁动了"
# title.en = "Freezing parameters: one step, and what moved"
# topics = ["T16"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(16, 4, device=device)


def build():
    torch.manual_seed(0)
    body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
    return nn.Sequential(body, nn.Linear(8, 1)).to(device)


def make_optimizer(net):
    return torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)


def step(net, optimizer):
    """Take one step and return the names of the parameters that it moved."""
    before = {name: p.detach().clone() for name, p in net.named_parameters()}
    net(x).square().mean().backward()
    optimizer.step()
    after = dict(net.named_parameters())
    return [name for name in after if not after[name].equal(before[name])]


net = build()
net[0].requires_grad_(False)
optimizer = make_optimizer(net)
print("body frozen, moved:", *step(net, optimizer))
print("its gradients:", {p.grad for p in net[0].parameters()})
print("its output has a graph:", net[0](x).requires_grad)
print("the optimizer keeps momentum for it:", net[0][0].weight in optimizer.state)
count = sum(p.numel() for p in net.parameters() if p.requires_grad)
print("trainable:", count, "of", sum(p.numel() for p in net.parameters()))

print("frozen in the middle of training, moved")
for old in ["left", "zero", "None"]:
    net = build()
    optimizer = make_optimizer(net)
    step(net, optimizer)
    net[0].requires_grad_(False)
    if old != "left":
        optimizer.zero_grad(set_to_none=old == "None")  # None is the default
    print(f"  old gradients {old}:", *step(net, optimizer))

net = build()
extra = nn.Linear(4, 4).to(device)  # trainable, in front of the frozen body
net.requires_grad_(False)
net(extra(x)).sum().backward()
print("a layer in front of them gets a gradient:", bool(extra.weight.grad.any()))
