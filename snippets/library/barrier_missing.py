# /// snippet
# title.zh = "有人没来的屏障"
# title.en = "A barrier that somebody misses"
# topics = ["T26"]
# devices = ["cpu"]
# processes = 2
# timeout = 120
# ///
import tempfile
from datetime import timedelta

import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    dist.monitored_barrier()  # both are here
    done = dist.FileStore(f"{folder}/done", 2)
    if rank == 0:
        done.wait(["gone on"])
        try:
            dist.monitored_barrier(timeout=timedelta(seconds=1))
        except RuntimeError as error:
            print("rank 0:", str(error).splitlines()[0])
        done.set("told", "yes")
    else:
        print("rank 1: goes on without the barrier", flush=True)
        done.set("gone on", "yes")
        done.wait(["told"])
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(folder,), nprocs=2)
