# /// snippet
# title.zh = "eval() 与 no_grad()：四种组合"
# title.en = "eval() and no_grad(): four combinations"
# topics = ["T45"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
hidden = [nn.Linear(8, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5)]
net = nn.Sequential(*hidden, nn.Linear(8, 1)).to(device)
x = torch.randn(64, 8, device=device) + 1

print("mode   gradients  same twice  statistics move  graph  kept for backward")
for train in [True, False]:
    for gradients in [True, False]:
        net.train(train)
        mean = net[1].running_mean.clone()
        kept = []
        hooks = saved_tensors_hooks(kept.append, lambda _: None)
        with torch.set_grad_enabled(gradients), hooks:
            out = net(x)
            same = out.equal(net(x))
        moved = not mean.equal(net[1].running_mean)
        graph = out.grad_fn is not None
        mode, on = "train" if train else "eval", "on" if gradients else "off"
        what = "something" if kept else "nothing"
        print(f"{mode:6} {on:10} {same!s:11} {moved!s:16} {graph!s:6} {what}")

net.eval()
net(x).sum().backward()
print("eval() keeps gradients away:", not net[0].weight.grad.any())
