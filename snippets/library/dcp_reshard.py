# /// snippet
# title.zh = "分布式检查点：两个 rank 存，三个 rank 取"
# title.en = "A distributed checkpoint: saved by two ranks, loaded by three"
# topics = ["T79"]
# devices = ["cpu"]
# timeout = 120
# processes = 3
# ///
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def build(seed, world):
    torch.manual_seed(seed)
    model = nn.Linear(8, 6)
    fully_shard(model, mesh=init_device_mesh("cpu", (world,)))
    return model, torch.optim.AdamW(model.parameters(), lr=0.1)


def work(rank, world, port, folder, lines):
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=world)
    x = torch.ones(4, 8)
    if world == 2:
        model, optimizer = build(0, world)
        model(x).sum().backward()
        optimizer.step()
        weights, state = get_state_dict(model, optimizer)
        dcp.save({"model": weights, "optimizer": state}, checkpoint_id=folder)
    else:
        model, optimizer = build(1, world)  # other weights, until they are loaded
        weights, state = get_state_dict(model, optimizer)
        dcp.load({"model": weights, "optimizer": state}, checkpoint_id=folder)  # fills what it is given
        set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=state)
    total = model.weight.full_tensor().sum().item()
    held = model.weight.to_local().numel()
    average = optimizer.state[model.weight]["exp_avg"].full_tensor().sum().item()
    if rank == 0:
        lines.append(f"{world} ranks: rank 0 holds {held} of 48, weights {total:.4f}, moments {average:.4f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with mp.Manager() as manager, tempfile.TemporaryDirectory() as folder:
        lines = manager.list()
        for world in [2, 3]:  # saved by two, loaded by three
            store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
            mp.spawn(work, args=(world, store.port, folder, lines), nprocs=world)
        print("\n".join(lines))
        assert lines[0].split(", ")[1:] == lines[1].split(", ")[1:]
