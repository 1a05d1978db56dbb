# /// snippet
# title.zh = "FSDP2：每个 rank 只留一片"
# title.en = "FSDP2: each rank keeps a shard"
# topics = ["T63"]
# devices = ["cpu"]
# timeout = 120
# processes = 2
# ///
import gc

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def build():
    torch.manual_seed(0)
    return nn.Sequential(*(nn.Sequential(nn.Linear(64, 64), nn.ReLU()) for _ in range(3)), nn.Linear(64, 1))


def step(model, x):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def train(rank, port, lines):
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    model = build()
    whole = sum(p.numel() for p in model.parameters())
    for block in model[:-1]:
        fully_shard(block, mesh=mesh)  # each block is gathered when its turn comes, and freed after it
    fully_shard(model, mesh=mesh)
    weight = model[0][0].weight
    held = sum(p.to_local().numel() for p in model.parameters())
    x = torch.randn(8, 64, generator=torch.Generator().manual_seed(7))
    step(model, x[rank::2])
    full = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    if rank == 0:
        lines.append(f"the model has {whole} parameters, rank 0 holds {held}")
        lines.append(
            f"weight: {type(weight).__name__}, global {tuple(weight.shape)}, local {tuple(weight.to_local().shape)}"
        )
        alone = build()
        step(alone, x)
        same = all(torch.allclose(full[name], value, atol=1e-6) for name, value in alone.state_dict().items())
        lines.append(f"after a step, equal to one process with the whole batch: {same}")
        assert same
    dist.barrier()
    del model
    gc.collect()
    dist.destroy_process_group()


if __name__ == "__main__":
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    with mp.Manager() as manager:
        lines = manager.list()
        mp.spawn(train, args=(store.port, lines), nprocs=2)
        print("\n".join(lines))
