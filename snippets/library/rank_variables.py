# /// snippet
# title.zh = "RANK 和 WORLD_SIZE 由谁设置"
# title.en = "Who sets RANK and WORLD_SIZE"
# topics = ["T21"]
# devices = ["cpu"]
# processes = 2
# timeout = 120
# ///
import os
import subprocess
import sys

import torch.multiprocessing as mp

NAMES = ["WORLD_SIZE", "RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"]


def found():
    """What this process finds in its environment; which port is free varies."""
    values = {name: os.environ[name] for name in NAMES if name in os.environ}
    if "MASTER_PORT" in values:
        values["MASTER_PORT"] = "(a free one)"
    return ", ".join(f"{name}={value}" for name, value in values.items()) or "none"


def child(number, answers):
    answers.put(f"  argument {number}, variables: {found()}")


def main():
    for name in NAMES:
        os.environ.pop(name, None)
    print("python file.py\n  variables:", found())

    print("mp.spawn(child, nprocs=2)")
    answers = mp.get_context("spawn").SimpleQueue()
    mp.spawn(child, args=(answers,), nprocs=2)
    print(*sorted([answers.get(), answers.get()]), sep="\n")

    print("torchrun --standalone --local-addr localhost --nproc-per-node 2 file.py")
    os.environ["OMP_NUM_THREADS"] = "1"  # torchrun would set it too, with a warning
    torchrun = [sys.executable, "-m", "torch.distributed.run"]
    options = ["--standalone", "--local-addr", "localhost", "--nproc-per-node", "2", __file__, "worker"]
    lines = subprocess.check_output(torchrun + options, text=True).splitlines()
    print(*sorted(lines), sep="\n")


if __name__ == "__main__":
    if "worker" in sys.argv:  # this file again, started by torchrun
        # In one piece: both processes write into one pipe, and an unbuffered print would write the line end apart.
        sys.stdout.write(f"  variables: {found()}\n")
        sys.stdout.flush()
    else:
        main()
