# /// snippet
# title.zh = "集合通信对不上：三种情况，各是什么报错"
# title.en = "Collectives that do not match: three cases and what is reported"
# topics = ["T73"]
# devices = ["cpu"]
# timeout = 120
# processes = 2
# ///
import faulthandler
import os
import re
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def call(name, rank):
    """Let the ranks disagree."""
    if name == "another shape":
        dist.all_reduce(torch.ones(3 + rank))
    elif name == "another collective":
        if rank == 0:
            dist.all_reduce(torch.ones(3))
        else:
            dist.broadcast(torch.ones(3), src=1)
    elif rank == 0:  # rank 1 leaves it out
        with tempfile.TemporaryFile("w+") as file:
            faulthandler.dump_traceback_later(1, file=file)  # what is it doing after a second?
            try:
                dist.all_reduce(torch.ones(3))
            finally:
                faulthandler.cancel_dump_traceback_later()
                file.seek(0)
                waited = re.search(r"in (all_reduce)", file.read())
                print("rank 0 was seen in", waited[1] if waited else "nothing")


def work(rank, name, port, lines):
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"  # read when the group is made
    dist.set_debug_level_from_env()
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2, timeout=timedelta(seconds=5))
    try:
        call(name, rank)
    except RuntimeError as error:
        if rank == 0:
            lines.append(f"{name}: {str(error).splitlines()[0][:110]}")
    store.set(f"done {rank}", "")
    store.wait(["done 0", "done 1"])
    dist.destroy_process_group()


if __name__ == "__main__":
    with mp.Manager() as manager:
        lines = manager.list()
        for name in ["another shape", "another collective", "left out"]:
            store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
            mp.spawn(work, args=(name, store.port, lines), nprocs=2)
        print("\n".join(lines))
