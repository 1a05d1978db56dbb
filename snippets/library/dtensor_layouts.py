# /// snippet
# title.zh = "DTensor 的布局与张量并行"
# title.en = "Layouts of a DTensor, and tensor parallelism"
# topics = ["T77"]
# devices = ["cpu"]
# timeout = 120
# processes = 2
# ///
import gc

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class Feed(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(4, 8), nn.Linear(8, 4)

    def forward(self, x):
        return self.down(self.up(x).relu())


def work(rank, port, lines):
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))

    table = torch.arange(12.0).view(4, 3)
    for layout in [Replicate(), Shard(0), Shard(1)]:
        tensor = distribute_tensor(table, mesh, [layout])
        total = tensor.sum().full_tensor().item()  # a sum of shards is partial, until somebody asks for it
        if rank == 0:
            local = tuple(tensor.to_local().shape)
            lines.append(f"{layout}: global {tuple(tensor.shape)}, here {local}, sum {total:g}")

    torch.manual_seed(0)
    whole, split = Feed(), Feed()
    split.load_state_dict(whole.state_dict())
    parallelize_module(split, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    x = torch.ones(2, 4)
    same = torch.allclose(split(x), whole(x), atol=1e-6)
    if rank == 0:
        for name, value in split.named_parameters():
            lines.append(f"{name}: {tuple(value.shape)}, here {tuple(value.to_local().shape)}")
        lines.append(f"the same output as undivided: {same}")
    assert same
    del split, tensor
    gc.collect()
    dist.destroy_process_group()


if __name__ == "__main__":
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    with mp.Manager() as manager:
        lines = manager.list()
        mp.spawn(work, args=(store.port, lines), nprocs=2)
        print("\n".join(lines))
