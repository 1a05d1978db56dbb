# /// snippet
# title.zh = "追查 nan 从哪里来"
# title.en = "Find where a nan comes from"
# topics = ["T71"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

torch.manual_seed(0)


class Log(nn.Module):
    def forward(self, x):
        return x.log()  # of 0: -inf


net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Log(), nn.Linear(4, 1))
x = torch.randn(8, 4)
bad = []


def look(name):
    def hook(module, inputs, output):
        if not output.isfinite().all():
            bad.append(name)

    return hook


handles = [module.register_forward_hook(look(name)) for name, module in net.named_modules() if name]
loss = net(x).mean()
for handle in handles:
    handle.remove()
print("loss:", loss.item(), "first module with such an output:", bad[0], type(net.get_submodule(bad[0])).__name__)

x = torch.tensor([0.0, 4.0], requires_grad=True)
torch.where(x > 0, x.sqrt(), 0.0).sum().backward()  # the branch not taken has a gradient, too
print("gradient through where:", x.grad.tolist())
x = torch.tensor([0.0, 4.0], requires_grad=True)
torch.where(x > 0, x.clamp(min=1e-12).sqrt(), 0.0).sum().backward()
print("with a safe input:", x.grad.tolist())

weight = torch.tensor([-1.0, 2.0], requires_grad=True)
try:
    with torch.autograd.detect_anomaly():
        weight.sqrt().sum().backward()
except RuntimeError as error:
    print(str(error).splitlines()[0])
