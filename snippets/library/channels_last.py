# /// snippet
# title.zh = "channels_last：步长变了，形状没变"
# title.en = "channels_last: other strides, the same shape"
# topics = ["T80"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

x = torch.arange(24.0).view(1, 2, 3, 4)
last = x.to(memory_format=torch.channels_last)
print("shape", tuple(x.shape), "stays", tuple(last.shape), "values stay:", torch.equal(x, last))
print("strides:", x.stride(), "->", last.stride())
print("contiguous as such:", last.is_contiguous(memory_format=torch.channels_last), "plainly:", last.is_contiguous())

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 2, 1)).eval()
plain = net(x)
net = net.to(memory_format=torch.channels_last)
result = net(last)
print("it stays through the network:", result.is_contiguous(memory_format=torch.channels_last))
print("the same result:", torch.allclose(result, plain, atol=1e-6))
assert torch.allclose(result, plain, atol=1e-6)

for name, change in {
    "permute": lambda t: t.permute(0, 2, 3, 1),
    "flatten": lambda t: t.flatten(2),
    "reshape": lambda t: t.reshape(1, 4, 6),
    "+ 1": lambda t: t + 1,
}.items():
    changed = change(last)
    shares = changed.untyped_storage().data_ptr() == last.untyped_storage().data_ptr()
    kept = changed.ndim == 4 and changed.is_contiguous(memory_format=torch.channels_last)
    print(f"{name:8} a view: {shares}, channels last: {kept}")
try:
    last.view(1, 24)
except RuntimeError as error:
    print("view:", str(error).split(".")[0])
