# /// snippet
# title.zh = "警告：size_average 与 reduce"
# title.en = "Warning: size_average and reduce"
# topics = ["T56"]
# devices = ["cpu"]
# timeout = 60
# raises = "UserWarning"
# ///
import warnings

import torch
from torch import nn
from torch.nn import functional

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    functional.mse_loss(torch.ones(2), torch.zeros(2), reduction="elementwise_mean")
print(f"{caught[0].category.__name__}: {caught[0].message}")
warnings.simplefilter("error")  # a warning raises, so that it cannot be missed
nn.CrossEntropyLoss(size_average=False)
