# /// snippet
# title.zh = "profiler：时间花在读数据还是训练"
# title.en = "The profiler: does the time go into loading or training"
# topics = ["T64"]
# devices = ["cpu"]
# timeout = 60
# ///
import time

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        time.sleep(0.004)  # decoding a picture, say
        return torch.randn(64)


net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
plan = schedule(wait=1, warmup=1, active=3, repeat=1)
parts = {"load": 0.0, "train": 0.0}
with profile(activities=[ProfilerActivity.CPU], schedule=plan) as recorded:
    batches = iter(torch.utils.data.DataLoader(Slow(), batch_size=4))
    for _ in range(6):
        with record_function("load"):
            batch = next(batches)
        with record_function("train"):
            net(batch).sum().backward()
        recorded.step()
rows = {row.key: row for row in recorded.key_averages()}
for name in parts:
    print(f"{name}: {rows[name].count} times")
share = rows["load"].cpu_time_total / (rows["load"].cpu_time_total + rows["train"].cpu_time_total)
print("more than half of the time goes into loading:", share > 0.5)
assert share > 0.5
print("operators of the model:", sorted(key for key in rows if key in ("aten::linear", "aten::relu", "aten::addmm")))
recorded.export_chrome_trace("trace.json")
