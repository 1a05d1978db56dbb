# /// snippet
# title.zh = "DataParallel 的线程不继承 autocast 的数据类型"
# title.en = "DataParallel's threads do not inherit the dtype of autocast"
# topics = ["T18", "T27"]
# devices = ["cpu"]
# timeout = 60
# ///
import inspect
import threading

import torch
from torch.nn.parallel import parallel_apply as module

source = inspect.getsource(inspect.unwrap(module)) if callable(module) else inspect.getsource(module.parallel_apply)
opened = [line.strip() for line in source.splitlines() if "autocast(" in line and "enabled=" in line]
print("DataParallel's threads open:", *opened)
assert not any("dtype" in line for line in opened)


def as_a_replica(device, enabled, found):
    """Open autocast as a thread of DataParallel does, and note the dtype that it gets."""
    with torch.amp.autocast(device, enabled=enabled):
        found.append(torch.get_autocast_dtype(device))


for device, dtype in [("cuda", torch.bfloat16), ("cpu", torch.float16)]:
    found = []
    torch.set_autocast_dtype(device, dtype)  # what `with torch.autocast(device, dtype=dtype)` sets
    thread = threading.Thread(target=as_a_replica, args=(device, True, found))
    thread.start()
    thread.join()
    print(f"{device}: asked for {torch.get_autocast_dtype(device)}, a thread computes in {found[0]}")
    assert found[0] != dtype
