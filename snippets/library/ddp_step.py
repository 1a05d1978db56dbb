# /// snippet
# title.zh = "DDP 的一步：梯度求平均"
# title.en = "One step of DDP: gradients are averaged"
# topics = ["T19"]
# devices = ["cpu"]
# processes = 2
# timeout = 120
# ///
import gc
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

X = torch.tensor([1.0, 2.0, 3.0, 4.0])
Y = 3 * X


def loss_of(model, samples):
    return (model(X[samples, None]) - Y[samples, None]).square().mean()


def step(rank, folder):
    meet = f"file://{folder}/meet"  # a file instead of a port: nothing to be taken
    dist.init_process_group("gloo", init_method=meet, rank=rank, world_size=2)

    def tell(text):  # rank 0 prints what every rank has to say
        lines = [None, None]
        dist.all_gather_object(lines, text)
        if rank == 0:
            for who, line in enumerate(lines):
                print(f"  rank {who}: {line}")

    for shards in [[[0, 1], [2, 3]], [[0], [1, 2, 3]]]:
        plain = fresh()
        model = DistributedDataParallel(plain)
        with model.no_sync():  # no exchange: the gradient of its own shard
            loss_of(model, shards[rank]).backward()
        own = plain.weight.grad.item()
        model.zero_grad()
        loss_of(model, shards[rank]).backward()  # the ordinary way
        torch.optim.SGD(model.parameters(), lr=0.05).step()
        if rank == 0:
            print("shards of", " and ".join(str(len(s)) for s in shards), "samples")
        shared, weight = plain.weight.grad.item(), plain.weight.item()
        tell(f"own gradient {own:.3f}, exchanged {shared:.3f}, weight now {weight:.3f}")
        del model, plain
    gc.collect()  # what DDP holds of the group goes before the group
    dist.destroy_process_group()


def fresh():
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(model.weight)
    return model


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(step, args=(folder,), nprocs=2)
    whole = fresh()
    loss_of(whole, [0, 1, 2, 3]).backward()
    print(f"one process with all four: gradient {whole.weight.grad.item():.3f}")
