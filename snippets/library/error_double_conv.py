# /// snippet
# title.zh = "报错：卷积的输入是 double"
# title.en = "Error: a convolution is given double"
# topics = ["T44"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import numpy as np
import torch
from torch import nn

layer = nn.Conv2d(1, 1, 1)
image = torch.from_numpy(np.ones((1, 1, 2, 2)))
assert layer(image.float()).dtype == torch.float32
layer(image)
