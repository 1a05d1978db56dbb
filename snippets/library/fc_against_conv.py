# /// snippet
# title.zh = "全连接与卷积：参数、计算量、激活值"
# title.en = "Fully connected and convolution: parameters, FLOPs, activations"
# topics = ["T05"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

torch.set_default_device("meta")  # shapes only: nothing is allocated, nothing computed
layers = {
    "fc   25088 -> 4096": (nn.Linear(25088, 4096, bias=False), (1, 25088)),
    "conv 64 -> 64, 3x3": (nn.Conv2d(64, 64, 3, padding=1, bias=False), (1, 64, 224, 224)),
    "conv 512 -> 512, 3x3": (nn.Conv2d(512, 512, 3, padding=1, bias=False), (1, 512, 14, 14)),
}

print("one sample              parameters       FLOPs  uses of a weight  output bytes")
counted = {}
for name, (layer, shape) in layers.items():
    with FlopCounterMode(display=False) as counter:
        out = layer(torch.empty(shape))
    weights = sum(p.numel() for p in layer.parameters())
    flops = counter.get_total_flops()
    positions = out.shape[2:].numel()  # 1 for the fully connected layer
    assert flops == 2 * weights * positions  # each use multiplies and adds
    counted[name] = weights, flops
    print(f"{name:20} {weights:13,} {flops:13,} {positions:13,} {out.nbytes:17,}")

(fc_weights, fc_flops), (conv_weights, conv_flops), _ = counted.values()
print(f"fc to the first conv: {fc_weights / conv_weights:,.0f} times the parameters,", end=" ")
print(f"{fc_flops / conv_flops:.3f} times the FLOPs")
