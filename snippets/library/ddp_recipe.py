# /// snippet
# title.zh = "DDP 的完整流程：两个进程的一次小训练"
# title.en = "The DDP recipe: a small training in two processes"
# topics = ["T22"]
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
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

X = torch.linspace(-1, 1, 12)[:, None]
SAMPLES = TensorDataset(torch.arange(12), X, 2 * X + 1)


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    device = torch.device("cpu")  # torch.device("cuda", local_rank) where there are cards
    model = torch.nn.Linear(1, 1)
    model.load_state_dict(torch.load(f"{folder}/start.pt", map_location="cpu"))
    model = DistributedDataParallel(model.to(device))
    sampler = DistributedSampler(SAMPLES)  # takes the place of shuffle=True
    loader = DataLoader(SAMPLES, batch_size=3, sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.4)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        seen, total = [], torch.zeros(())
        for numbers, x, y in loader:
            loss = (model(x.to(device)) - y.to(device)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += numbers.tolist()
            total += loss.detach() / len(loader)
        dist.all_reduce(total)  # each rank knows only its own share of the loss
        shards = [[], []]
        dist.all_gather_object(shards, seen)
        assert sorted(shards[0] + shards[1]) == list(range(12))  # all of it, nothing twice
        if rank == 0:
            print(f"epoch {epoch}: loss {total / 2:.3f}, shards {shards[0]} and {shards[1]}")
    if rank == 0:  # one writes, from inside the wrapper
        torch.save(model.module.state_dict(), f"{folder}/end.pt")
    del model, optimizer, loss
    gc.collect()  # what DDP holds of the group goes before the group
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.save({"weight": torch.zeros(1, 1), "bias": torch.zeros(1)}, f"{folder}/start.pt")
        mp.spawn(train, args=(folder,), nprocs=2)
        end = torch.load(f"{folder}/end.pt")
    print("saved:", {name: round(value.item(), 2) for name, value in end.items()})

    forgetful = DistributedSampler(SAMPLES, num_replicas=2, rank=0)
    print("without set_epoch:", *[list(forgetful) for _ in range(2)])
