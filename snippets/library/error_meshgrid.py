# /// snippet
# title.zh = "警告：meshgrid 没写 indexing"
# title.en = "Warning: meshgrid without indexing"
# topics = ["T51"]
# devices = ["cpu"]
# timeout = 60
# raises = "UserWarning"
# ///
import warnings

import torch

x, y = torch.arange(3), torch.arange(4)
warnings.simplefilter("error")  # a warning raises, so that it cannot be missed
print("said, it is silent:", tuple(torch.meshgrid(x, y, indexing="ij")[0].shape))
torch.meshgrid(x, y)
