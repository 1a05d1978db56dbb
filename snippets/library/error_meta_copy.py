# /// snippet
# title.zh = "报错：meta 上没有数据可搬"
# title.en = "Error: no data on meta to move"
# topics = ["T36"]
# devices = ["cpu"]
# timeout = 60
# raises = "NotImplementedError"
# ///
import torch
from torch import nn

with torch.device("meta"):
    net = nn.Linear(2, 2)
ready = net.to_empty(device="cpu")
ready.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.zeros(2)})
print("empty first, then filled:", ready(torch.ones(1, 2)).tolist())
nn.Linear(2, 2, device="meta").to("cpu")
