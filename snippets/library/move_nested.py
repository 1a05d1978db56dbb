# /// snippet
# title.zh = "把嵌套的数据整个搬过去"
# title.en = "Move nested data to one device"
# topics = ["T43"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

DEVICE = torch.device("meta")  # stands for a GPU: another device, found on every machine


def to_device(data, device):
    """Copy nested data with all tensors moved; what is no tensor stays as it is."""
    if isinstance(data, torch.Tensor | nn.Module):
        return data.to(device)
    if isinstance(data, dict):
        return {key: to_device(value, device) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):  # a named tuple takes its fields one by one
        return type(data)(*(to_device(value, device) for value in data))
    if isinstance(data, list | tuple):
        return type(data)(to_device(value, device) for value in data)
    return data


class Lost(nn.Module):
    """Makes a layer and a constant anew in each forward: neither belongs to the module."""

    def forward(self, x):
        return nn.Linear(3, 2)(x)


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.register_buffer("scale", torch.ones(2))

    def forward(self, x):
        return self.layer(x) * self.scale + torch.zeros(2, device=x.device)


target = {"boxes": [torch.zeros(2, 4), torch.zeros(1, 4)], "size": (480, 640), "name": "cat.jpg"}
for wrong in [target, target["boxes"]]:
    try:
        wrong.cuda()
    except AttributeError as error:
        print("AttributeError:", error)
moved = to_device(target, DEVICE)
print("moved:", [box.device.type for box in moved["boxes"]], moved["size"], moved["name"])
assert all(box.device == DEVICE for box in moved["boxes"])
assert target["boxes"][0].device.type == "cpu"

x = torch.ones(1, 3, device=DEVICE)
for model in [Lost().to(DEVICE), Kept().to(DEVICE)]:
    parameters = sum(p.numel() for p in model.parameters())
    try:
        print(f"{type(model).__name__}: {parameters} parameters, result on {model(x).device}")
    except RuntimeError as error:
        print(f"{type(model).__name__}: {parameters} parameters, RuntimeError: {error}")
