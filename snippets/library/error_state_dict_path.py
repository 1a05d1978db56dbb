# /// snippet
# title.zh = "报错：把路径交给了 load_state_dict"
# title.en = "Error: a path given to load_state_dict"
# topics = ["T30"]
# devices = ["cpu"]
# timeout = 60
# raises = "TypeError"
# ///
import torch
from torch import nn

net = nn.Linear(2, 2)
torch.save(net.state_dict(), "weights.pt")
print("a dict:", net.load_state_dict(torch.load("weights.pt")))
net.load_state_dict("weights.pt")
