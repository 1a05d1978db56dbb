# /// snippet
# title.zh = "module. 前缀：加上与去掉"
# title.en = "The module. prefix, off and on"
# topics = ["T37"]
# devices = ["cpu"]
# timeout = 60
# ///
import gc

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present as strip

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)

wrapped = {
    "the bare model": net,
    "DataParallel": nn.DataParallel(net),
    "DDP": nn.parallel.DistributedDataParallel(net),
    "torch.compile": torch.compile(net),
}
for name, model in wrapped.items():
    print(f"{name:14} {next(iter(model.state_dict()))}")

in_place = nn.Linear(2, 3)
in_place.compile()
print(f".compile()     {next(iter(in_place.state_dict()))}")

saved = wrapped["DDP"].state_dict()
try:
    net.load_state_dict(saved)
except RuntimeError as error:
    for line in str(error).splitlines()[1:]:
        print(f"  {line.strip().split(',')[0]}, ...")

result = net.load_state_dict(saved, strict=False)
print(f"strict=False: no error, {len(result.unexpected_keys)} of {len(saved)} not used")
print("off:", strip(saved, "module."), "is returned, the dict itself changes")
print("  ", net.load_state_dict(saved))
print("on: give it to the model inside")
print("  ", wrapped["DDP"].module.load_state_dict(net.state_dict()))
inside = wrapped["DDP"].module.state_dict()
print("saved from the inside, no prefix:", list(inside) == list(net.state_dict()))
for name, model in wrapped.items():
    print(f"get_model_state_dict, {name}: {next(iter(get_model_state_dict(model)))}")

del wrapped, model
gc.collect()  # what DDP holds of the group goes before the group
dist.destroy_process_group()
