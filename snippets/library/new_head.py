# /// snippet
# title.zh = "换掉最后一层，冻结到 layer2"
# title.en = "A new last layer, and frozen up to layer2"
# topics = ["T34", "T16"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, 3, stride=2, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(outside)
        self.shortcut = nn.Conv2d(inside, outside, 1, stride=2, bias=False)

    def forward(self, x):
        return (self.bn(self.conv(x)) + self.shortcut(x)).relu()


class SmallResNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.layer1, self.layer2, self.layer3 = Block(8, 16), Block(16, 32), Block(32, 64)
        self.fc = nn.Linear(64, classes)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(self.conv1(x))))
        return self.fc(x.mean(dim=(2, 3)))


torch.manual_seed(0)
model, x = SmallResNet(classes=1000), torch.randn(8, 3, 16, 16)
early = torch.optim.SGD(model.parameters(), lr=0.1)  # too early: it holds the old layer
model.fc = nn.Linear(model.fc.in_features, 5)
held = {id(p) for group in early.param_groups for p in group["params"]}
print("new layer:", model.fc)
known = id(model.fc.weight) in held
print("known to the optimizer made before:", known)
assert not known

for name, child in model.named_children():  # in the order in which they were assigned
    child.requires_grad_(False).eval()
    if name == "layer2":
        break
for name, child in model.named_children():
    free = [p.numel() for p in child.parameters() if p.requires_grad]
    print(f"{name:7} {sum(free):6} trainable, training mode: {child.training}")

before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.1)
nn.functional.cross_entropy(model(x), torch.arange(8) % 5).backward()
optimizer.step()
after = model.state_dict()
moved = {name.split(".")[0] for name in after if not after[name].equal(before[name])}
print("moved by one step in:", ", ".join(sorted(moved)))
assert moved == {"layer3", "fc"}
