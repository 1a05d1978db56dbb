# /// snippet
# title.zh = "报错：torch.load 拒收整个模型"
# title.en = "Error: torch.load refuses a whole model"
# topics = ["T31"]
# devices = ["cpu"]
# timeout = 60
# raises = "UnpicklingError"
# ///
import torch
from torch import nn
from torch.serialization import get_unsafe_globals_in_checkpoint


class Net(nn.Module):
    """A class that the file can only name."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)


net = Net()
torch.save(net.state_dict(), "weights.pt")
print("its weights load:", list(torch.load("weights.pt")))
torch.save(net, "whole.pt")
print("the whole names:", sorted(get_unsafe_globals_in_checkpoint("whole.pt")))
torch.load("whole.pt")
