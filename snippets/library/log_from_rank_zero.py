# /// snippet
# title.zh = "只由 rank 0 记录，记录的是平均值"
# title.en = "Log on rank 0 only, and log the mean"
# topics = ["T25"]
# devices = ["cpu"]
# processes = 2
# timeout = 120
# ///
import logging
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def report(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    log = logging.getLogger("train")
    log.addHandler(logging.FileHandler(f"{folder}/train.log"))

    for guarded in [False, True]:
        # Decided once, where logging is set up; the lines of the training stay as they are.
        log.setLevel(logging.INFO if rank == 0 or not guarded else logging.WARNING)
        loss = torch.tensor([0.5, 2.0])[rank]  # the shards differ, and so do the losses
        log.info("epoch 0, loss %.2f", loss)

        mean = loss.clone()
        dist.all_reduce(mean)  # every rank has to take part, not only the one that logs
        mean /= dist.get_world_size()
        log.info("epoch 0, mean loss %.2f", mean)
        dist.barrier()

        if rank == 0:
            lines = sorted(Path(folder, "train.log").read_text().splitlines())
            print("only rank 0 logs:" if guarded else "every rank logs:", *lines, sep="\n  ")
            Path(folder, "train.log").write_text("")
            assert len(lines) == (2 if guarded else 4)
        dist.barrier()  # nobody writes on before the file is empty
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(report, args=(folder,), nprocs=2)
