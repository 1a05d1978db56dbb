# /// snippet
# title.zh = "屏障：rank 0 先准备，其余的等"
# title.en = "Barrier: rank 0 prepares first, the others wait"
# topics = ["T26"]
# devices = ["cpu"]
# processes = 2
# timeout = 120
# ///
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import torch.distributed as dist
import torch.multiprocessing as mp


@contextmanager
def rank_zero_first():
    """Run the body on rank 0, then on all the others; each rank passes exactly one barrier."""
    first = dist.get_rank() == 0
    if not first:
        dist.barrier()
    try:
        yield
    finally:
        if first:  # also after an error, so that the others are not left waiting
            dist.barrier()


def load(path):
    """Read the prepared data; prepare it if nobody has."""
    prepared = not path.exists()
    if prepared:
        time.sleep(0.5)  # the long work
        path.write_text("ready")
    return prepared, path.read_text()


def work(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    with rank_zero_first():
        entered = time.monotonic()  # one clock for both, on one machine
        prepared, text = load(Path(folder, "data"))
        left = time.monotonic()
    times = [None, None]
    dist.all_gather_object(times, (entered, left, prepared, text))
    if rank == 0:
        start = times[0][0]
        for who, (entered, left, prepared, text) in enumerate(times):
            print(f"rank {who}: prepared {prepared}, read {text!r},", end=" ")
            print(f"from {entered - start:.2f} s to {left - start:.2f} s")
        assert [line[2] for line in times] == [True, False]
        assert times[0][1] <= times[1][0]
        print("rank 1 began after rank 0 had ended:", times[0][1] <= times[1][0])
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(folder,), nprocs=2)
