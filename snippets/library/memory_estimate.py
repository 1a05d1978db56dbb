# /// snippet
# title.zh = "不占显存，先估算训练要多少"
# title.en = "Estimate the memory of a training without using any"
# topics = ["T72"]
# devices = ["cpu"]
# timeout = 60
# ///
import logging

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker

logging.disable(logging.WARNING)


def build():
    return nn.Sequential(*(nn.Sequential(nn.Linear(2048, 2048), nn.GELU()) for _ in range(8)))


def estimate(batch):
    """Return the peak of each kind of memory in MiB for two training steps, without computing or allocating any."""
    with FakeTensorMode():
        model = build()
        optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
        tracker = MemTracker()
        tracker.track_external(model, optimizer)
        with tracker as seen:
            for _ in range(2):
                model(torch.ones(batch, 2048)).mean().backward()
                optimizer.step()
                optimizer.zero_grad()
                tracker.reset_mod_stats()
        (peak,) = seen.get_tracker_snapshot("peak").values()
    return {str(getattr(kind, "value", kind)): size / 2**20 for kind, size in peak.items()}


for batch in [256, 4096]:
    print(f"batch of {batch}:")
    for kind, size in estimate(batch).items():
        print(f"  {kind:12} {size:8.1f} MiB")
