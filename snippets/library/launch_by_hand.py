# /// snippet
# title.zh = "同一个程序：手动启动与 torchrun"
# title.en = "One program, started by hand and by torchrun"
# topics = ["T23"]
# devices = ["cpu"]
# processes = 2
# timeout = 120
# ///
import os
import subprocess
import sys

import torch
import torch.distributed as dist


def worker():
    """What would be your train.py: it does not know who started it."""
    dist.init_process_group("gloo")  # env://, so it reads the variables
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    total = torch.tensor(float(rank + 1))
    dist.all_reduce(total)
    line = f"  rank {rank} of {dist.get_world_size()}, local rank {local}, sum {total:g}\n"
    sys.stdout.write(line)  # in one piece: under torchrun both ranks write into one pipe
    dist.destroy_process_group()


def by_hand():
    """Start one process for each rank, with its variables; the last line of each is its report."""
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # on a free port
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.port)}
    common["TORCHELASTIC_USE_AGENT_STORE"] = "True"  # rank 0 joins this port, instead of opening it
    started = []
    for rank in range(2):
        own = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
        command = [sys.executable, __file__, "worker"]
        env = {**os.environ, **common, **own}
        started.append(subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True))
    return [process.communicate()[0] for process in started]


def by_torchrun():
    options = ["--standalone", "--local-addr", "localhost", "--nproc-per-node", "2", __file__, "worker"]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}  # otherwise torchrun sets it, with a warning
    command = [sys.executable, "-m", "torch.distributed.run", *options]  # torchrun, spelt out
    return subprocess.check_output(command, env=env, text=True).splitlines(keepends=True)


if __name__ == "__main__":
    if "worker" in sys.argv:
        worker()
    else:
        reports = []
        for name, start in [("by hand", by_hand), ("torchrun", by_torchrun)]:
            reports.append(sorted(start()))
            print(f"{name}:\n{''.join(reports[-1])}", end="")
        assert reports[0] == reports[1]
        print("the same reports:", reports[0] == reports[1])
