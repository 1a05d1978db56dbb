# /// snippet
# title.zh = "报错：tensor.to() 的返回值丢了"
# title.en = "Error: the result of tensor.to() was dropped"
# topics = ["T53", "T43"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
from torch import nn

model = nn.Linear(4, 2)
x = torch.ones(1, 4)
model.to("meta")  # stands for model.cuda(): the module itself moves
x.to("meta")  # returns a new tensor, which nobody keeps
print("model on", model.weight.device, "and x on", x.device)
assert model(x.to("meta")).shape == (1, 2)
model(x)
