# /// snippet
# title.zh = "DDP：没用到的参数"
# title.en = "DDP: unused parameters"
# topics = ["T65"]
# devices = ["cpu"]
# timeout = 120
# processes = 2
# ///
import gc

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 1), nn.Linear(2, 1)

    def forward(self, x, head):
        return getattr(self, head)(self.body(x)).sum()


def train(rank, port, results):
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    for options in [{}, {"find_unused_parameters": True}, {"static_graph": True}]:
        torch.manual_seed(0)
        model = DistributedDataParallel(TwoHeads(), **options)
        said = "fine"
        try:
            for _ in range(2):  # head b is never used
                model(torch.ones(1, 2), "a").backward()
        except RuntimeError as error:
            said = str(error).splitlines()[0][:71]
        gradient = model.module.b.weight.grad
        if rank == 0:
            results.append((options, said, None if gradient is None else gradient.tolist()))
        dist.barrier()
        del model
        gc.collect()
    dist.destroy_process_group()


if __name__ == "__main__":
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    with mp.Manager() as manager:
        results = manager.list()
        mp.spawn(train, args=(store.port, results), nprocs=2)
        for options, said, gradient in results:
            print(f"{options}: {said}")
            print("    gradient of the unused head:", gradient)
