# /// snippet
# title.zh = "报错：键名多了 module."
# title.en = "Error: names with a module. in front"
# topics = ["T37"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
from torch import nn
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

net = nn.Sequential(nn.Linear(2, 2))
saved = nn.DataParallel(nn.Sequential(nn.Linear(2, 2))).state_dict()
clean = dict(saved)
consume_prefix_in_state_dict_if_present(clean, "module.")
print("taken off:", net.load_state_dict(clean))
assert all(torch.equal(net.state_dict()[name], clean[name]) for name in clean)
answer = net.load_state_dict(saved, strict=False)
print("missing:", answer.missing_keys, "unexpected:", answer.unexpected_keys)
net.load_state_dict(saved)
