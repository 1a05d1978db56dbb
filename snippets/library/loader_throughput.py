# /// snippet
# title.zh = "DataLoader：几个工作进程才够"
# title.en = "DataLoader: how many workers are enough"
# topics = ["T81"]
# devices = ["cpu"]
# timeout = 120
# processes = 4
# ///
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        time.sleep(0.05)  # waits, as reading from a disk or a network does
        return torch.tensor(index)


def seconds(**options):
    """Time one epoch, from the first batch on: starting the workers does not count."""
    batches = iter(DataLoader(Slow(), batch_size=4, **options))
    next(batches)
    start = time.perf_counter()
    found = sum(1 for _ in batches)
    assert found == 5
    return time.perf_counter() - start


if __name__ == "__main__":
    alone = seconds()
    two, four = seconds(num_workers=2), seconds(num_workers=4)
    print(f"0 workers {alone:.2f} s, 2 workers {two:.2f} s, 4 workers {four:.2f} s")
    print("with workers it is faster:", two < alone and four < alone)
    loader = DataLoader(Slow(), batch_size=4, num_workers=2, persistent_workers=True)
    first = iter(loader)
    pids = {worker.pid for worker in first._workers}
    list(first)
    again = iter(loader)
    print("persistent_workers keeps the same processes:", {worker.pid for worker in again._workers} == pids)
    list(again)
    print("batches that are loaded ahead:", loader.prefetch_factor * loader.num_workers)
