# /// snippet
# title.zh = "报错：通道数不符"
# title.en = "Error: another number of channels"
# topics = ["T47"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

layer = torch.nn.Conv2d(3, 4, 3)
grey = torch.ones(1, 1, 8, 8)
print("expanded:", tuple(layer(grey.expand(-1, 3, -1, -1)).shape))
layer(grey)
