# /// snippet
# title.zh = "推理时把批归一化并进卷积：偏置又回来了"
# title.en = "Batch norm folded into the convolution for inference: the bias returns"
# topics = ["T09"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

torch.manual_seed(0)
conv = nn.Conv2d(3, 4, 3, bias=False).double()
norm = nn.BatchNorm2d(4).double()
nn.init.uniform_(norm.weight, 0.5, 2.0)
nn.init.normal_(norm.bias)
for _ in range(20):
    # Gathers running statistics.
    norm(conv(torch.randn(8, 3, 6, 6, dtype=torch.float64)))
conv.eval(), norm.eval()

folded = fuse_conv_bn_eval(conv, norm)
x = torch.randn(2, 3, 6, 6, dtype=torch.float64)
assert torch.allclose(folded(x), norm(conv(x)))
print("one layer instead of two, same output:", torch.allclose(folded(x), norm(conv(x))))
print("bias before:", conv.bias, "| after:", tuple(folded.bias.shape))

scale = norm.weight / (norm.running_var + norm.eps).sqrt()
assert torch.allclose(folded.weight, conv.weight * scale.view(-1, 1, 1, 1))
assert torch.allclose(folded.bias, norm.bias - norm.running_mean * scale)
print("the scale went into the weights, the shift became the bias")
