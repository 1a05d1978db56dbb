# /// snippet
# title.zh = "报错：float64 的数据遇到 float32 的权重"
# title.en = "Error: float64 data meet float32 weights"
# topics = ["T44"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import numpy as np
import torch
from torch import nn

layer = nn.Linear(2, 1)
data = torch.from_numpy(np.array([[1.0, 2.0]]))
print(data.dtype, "against", layer.weight.dtype)
assert layer(data.float()).dtype == torch.float32
layer(data)
