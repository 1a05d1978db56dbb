# /// snippet
# title.zh = "报错：DDP 在等没用到的参数"
# title.en = "Error: DDP waits for an unused parameter"
# topics = ["T65"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(2, 1), nn.Linear(2, 1)

    def forward(self, x):
        return self.used(x).sum()


dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = DistributedDataParallel(TwoHeads())
for step in range(2):
    print("step", step)
    model(torch.ones(1, 2)).backward()
