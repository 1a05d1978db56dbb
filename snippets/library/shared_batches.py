# /// snippet
# title.zh = "工作进程交来的批次在共享内存里"
# title.en = "Batches from workers come in shared memory"
# topics = ["T55"]
# devices = ["cpu"]
# processes = 3
# timeout = 60
# ///
import shutil
import sys
from pathlib import Path

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader

SAMPLES = torch.arange(8 * 1000.0).reshape(8, 1000)


def add_one(tensor):
    tensor += 1  # in another process


def main():
    if Path("/dev/shm").is_dir():
        total = shutil.disk_usage("/dev/shm").total
        print(f"/dev/shm: {total / 2**20:.0f} MiB")
    print("sharing strategy:", mp.get_sharing_strategy(), "of", sorted(mp.get_all_sharing_strategies()))

    for workers in [0, 2]:
        loader = DataLoader(SAMPLES, batch_size=4, num_workers=workers)
        batch = next(iter(loader))
        assert batch.is_shared() == (workers > 0)
        print(f"{workers} workers: the batch is in shared memory: {batch.is_shared()}")

    ahead = 2 * loader.prefetch_factor
    print(f"prepared ahead, at most: 2 workers x {loader.prefetch_factor} batches x {batch.nbytes} bytes", end="")
    print(f" = {ahead * batch.nbytes} bytes")

    shared = torch.zeros(3).share_memory_()
    if sys.platform == "linux":
        maps = Path("/proc/self/maps").read_text()
        print("mapped from /dev/shm:", "/dev/shm/torch_" in maps)
    child = mp.get_context("spawn").Process(target=add_one, args=(shared,))
    child.start()
    child.join()
    assert shared.tolist() == [1, 1, 1]
    print("changed by another process, seen here:", shared.tolist())


if __name__ == "__main__":
    main()
