# /// snippet
# title.zh = "DDP：no_sync 累积梯度，Join 应付步数不等"
# title.en = "DDP: accumulate with no_sync, uneven steps with Join"
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
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel


def counted(state, bucket):
    """Count the all-reduces, and do what DDP does by itself."""
    state.append(bucket.buffer().numel())
    world = dist.get_world_size()
    work = dist.all_reduce(bucket.buffer(), async_op=True).get_future()
    return work.then(lambda done: done.value()[0] / world)


def train(rank, port, lines):
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    found = {}
    for way in ["every batch", "no_sync"]:
        sent = []
        model = DistributedDataParallel(nn.Linear(3, 1, bias=False))
        nn.init.ones_(model.module.weight)
        model.register_comm_hook(sent, counted)
        for batch in range(4):
            x = torch.full((2, 3), float(rank + batch))
            if way == "no_sync" and batch < 3:
                with model.no_sync():  # the forward pass belongs inside as well
                    model(x).mean().backward()
            else:
                model(x).mean().backward()
        found[way] = model.module.weight.grad.clone()
        if rank == 0:
            lines.append(f"{way}: {len(sent)} exchanges, gradient {model.module.weight.grad[0].tolist()}")
        del model
    assert torch.equal(found["every batch"], found["no_sync"])

    model = DistributedDataParallel(nn.Linear(3, 1))
    steps = 0
    with Join([model]):  # rank 1 has fewer batches; it goes on answering until all are done
        for _ in range(5 - 2 * rank):
            model(torch.ones(2, 3)).mean().backward()
            steps += 1
    lines.append(f"with Join, rank {rank} took {steps} steps")
    del model
    gc.collect()
    dist.destroy_process_group()


if __name__ == "__main__":
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    with mp.Manager() as manager:
        lines = manager.list()
        mp.spawn(train, args=(store.port, lines), nprocs=2)
        print("\n".join(sorted(lines)))
