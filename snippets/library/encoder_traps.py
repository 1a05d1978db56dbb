# /// snippet
# title.zh = "nn.TransformerEncoder 的几个坑"
# title.en = "Pitfalls of nn.TransformerEncoder"
# topics = ["T07"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")  # nested tensors announce that they are a prototype
torch.manual_seed(0)
sizes = {"d_model": 8, "nhead": 2, "dim_feedforward": 16, "dropout": 0.0}
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**sizes, batch_first=True), num_layers=2)
x = torch.randn(2, 5, 8)  # two samples, five places

first, second = encoder.layers
pairs = zip(first.parameters(), second.parameters(), strict=True)
print("layers start as twins:", all(torch.equal(one, other) for one, other in pairs))

order = torch.tensor([3, 0, 4, 1, 2])
assert torch.allclose(encoder(x)[:, order], encoder(x[:, order]), atol=1e-5)
print("shuffled places give the same outputs, shuffled: the order of words is unknown to it")

other = x.clone()
other[0] = 0
for batch_first in [True, False]:
    layer = nn.TransformerEncoderLayer(**sizes, batch_first=batch_first)
    leaks = not torch.allclose(layer(x)[1], layer(other)[1], atol=1e-5)
    assert leaks != batch_first
    print(f"batch_first={batch_first}: sample 0 {'changes' if leaks else 'leaves alone'} what comes out for sample 1")

padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
slow = encoder(x, src_key_padding_mask=padding)
encoder.eval()
with torch.no_grad():
    fast = encoder(x, src_key_padding_mask=padding)
assert torch.allclose(slow[~padding], fast[~padding], atol=1e-5)
print("padded places, with gradients: zero", bool((slow[padding] == 0).all()), end="; ")
print("eval and no_grad: zero", bool((fast[padding] == 0).all()))

try:
    encoder(x, is_causal=True)
except RuntimeError as error:
    print("is_causal alone:", str(error).split(".")[0])
try:
    nn.TransformerEncoderLayer(d_model=8, nhead=3)
except AssertionError as error:
    print("8 features, 3 heads:", error)
