# /// snippet
# title.zh = "DataParallel：包装、.module 与丢失的写入"
# title.en = "DataParallel: the wrapper, .module and lost writes"
# topics = ["T18"]
# devices = ["cpu"]
# timeout = 60
# ///
import copy
import inspect

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.calls = 0
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        self.calls += 1  # rebinds an attribute
        self.seen += len(x)  # writes in place
        return self.layer(x)

    def penalty(self):
        return self.layer.weight.square().sum()


net = Net()
wrapped = nn.DataParallel(net)
print("cards it will use:", wrapped.device_ids)  # none here: it just passes everything on

x = torch.ones(4, 3)
assert torch.equal(wrapped(x), net(x))
print("the model inside is yours:", wrapped.module is net)
try:
    wrapped.penalty()
except AttributeError as error:
    print("AttributeError:", error)
assert torch.equal(wrapped.module.penalty(), net.penalty())
print("names in the file:", list(wrapped.state_dict()))
source = inspect.getsource(nn.DataParallel)
print("its source speaks of deprecation:", "deprecat" in source.lower().partition('"""')[2].partition('"""')[2])

# On several cards each forward runs on replicas, shallow copies that are thrown away after it.
net.calls, net.seen = 0, torch.zeros(())
replica = copy.copy(net)
replica(x)
print(f"after a forward of the copy: its calls {replica.calls}, the model's own {net.calls}")
print(f"a buffer that both share, written in place: {net.seen.item():g}")
assert (replica.calls, net.calls, net.seen.item()) == (1, 0, 4)
