# /// snippet
# title.zh = "默认设备：几种写法各管多大范围"
# title.en = "The default device: how far each way reaches"
# topics = ["T08"]
# devices = ["cpu"]
# timeout = 120
# ///
import os
import subprocess
import sys

import numpy as np
import torch
from torch import nn

# "meta" stands for a GPU: another device, found on every machine.
with torch.device("meta"):
    inside = {
        "torch.ones": torch.ones(2),
        "torch.tensor": torch.tensor([1.0]),
        "nn.Linear": nn.Linear(2, 2).weight,
        "device= given": torch.ones(2, device="cpu"),
        "from_numpy": torch.from_numpy(np.ones(2)),
    }
print("with torch.device:", {name: tensor.device.type for name, tensor in inside.items()})
print("after the block:", torch.ones(2).device)

torch.set_default_device("meta")
print("set_default_device:", torch.get_default_device(), torch.ones(2).device)
torch.set_default_device(None)
assert torch.ones(2).device.type == "cpu"

# From outside: each list needs a process of its own, for it is read once.
CHILD = "import torch; print(torch.cuda._parse_visible_devices())"
for visible in ["0", "3", ""]:
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": visible}
    done = subprocess.run([sys.executable, "-c", CHILD], env=env, capture_output=True, text=True, check=True)
    cards = done.stdout.strip()
    assert cards == (f"[{visible}]" if visible else "[]")
    print(f"CUDA_VISIBLE_DEVICES={visible or '(empty)'}: cards {cards}")
