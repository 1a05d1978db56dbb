# /// snippet
# title.zh = "冻结批归一化：eval() 与会撤销它的 train()"
# title.en = "Freezing batch norm: eval(), and the train() that undoes it"
# topics = ["T16"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(16, 4, device=device) + 3
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.body(x))


class Frozen(Net):
    """Keeps the batch norm of its body in eval mode, whatever the mode of the whole."""

    def __init__(self):
        super().__init__()
        self.body.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        for module in self.body.modules():
            if isinstance(module, NORMS):
                module.eval()
        return self


def moved(net):
    """Take one step and return the names of all that it changed, buffers too."""
    before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(x).square().mean().backward()
    optimizer.step()
    after = net.state_dict()
    return ", ".join(name for name in after if not after[name].equal(before[name]))


torch.manual_seed(0)
net = Net().to(device)
net.body.requires_grad_(False)
print("requires_grad False alone:", moved(net))
net.body.eval()
print("and body.eval():", moved(net))
net.train()  # as a training loop does at the start of every epoch
print("after train():", moved(net))

net = Net().to(device)
net.body[1].eval()
print("eval() alone:", moved(net))

net = Frozen().to(device)
print("overridden train():", moved(net.train()))
print("modes, whole and norm:", net.training, net.body[1].training)
