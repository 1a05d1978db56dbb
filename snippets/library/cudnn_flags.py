# /// snippet
# title.zh = "cudnn.benchmark 与 deterministic：开关和耗时"
# title.en = "cudnn.benchmark and deterministic: switches and timings"
# topics = ["T40"]
# devices = ["cpu", "cuda"]
# timeout = 120
# ///
import time

import torch
from torch import nn
from torch.backends import cudnn


def switches():
    return f"enabled {cudnn.enabled}, benchmark {cudnn.benchmark}, deterministic {cudnn.deterministic}"


print("from the start:        ", switches())
with cudnn.flags(benchmark=True):
    print("flags(benchmark=True): ", switches())  # what is not named goes to its own default
    assert not cudnn.enabled
with cudnn.flags(enabled=True, benchmark=True):
    print("with enabled=True too: ", switches())

on_gpu = torch.cuda.is_available()
device = "cuda" if on_gpu else "cpu"


def milliseconds(call):
    """Time one call, with nothing left in the queue before or after it."""
    start = time.perf_counter()
    call()
    if on_gpu:
        torch.cuda.synchronize()
    return 1000 * (time.perf_counter() - start)


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 5)).to(device)
batch, last = torch.randn(8, 16, 48, 48, device=device), torch.randn(5, 16, 48, 48, device=device)
results = []
with torch.no_grad():
    milliseconds(lambda: net(batch))  # starts the device and loads the library
    for cudnn.benchmark, cudnn.deterministic in [(False, False), (True, False), (False, True)]:
        first = milliseconds(lambda: net(batch))
        later = min(milliseconds(lambda: net(batch)) for _ in range(10))
        other = milliseconds(lambda: net(last))  # a new shape: searched anew under benchmark
        results.append(net(batch))
        print(f"{switches()}: first {first:.2f} ms, later {later:.2f} ms, smaller batch {other:.2f} ms")

for result in results:
    torch.testing.assert_close(result, results[0], atol=1e-2, rtol=0)  # nearly the same anywhere
print("the results are nearly the same in all three")
if not on_gpu:
    assert all(result.equal(results[0]) for result in results)  # no cuDNN, no choice
