# /// snippet
# title.zh = "报错：把普通张量赋给参数"
# title.en = "Error: a plain tensor assigned to a parameter"
# topics = ["T33"]
# devices = ["cpu"]
# timeout = 60
# raises = "TypeError"
# ///
import torch
from torch import nn

net, saved = nn.Linear(2, 2), torch.ones(2, 2)
with torch.no_grad():
    net.weight.copy_(saved)
print("copied into it:", net.weight.tolist())
net.weight = saved
