# /// snippet
# title.zh = "流水线并行：两段模型，四个微批次"
# title.en = "Pipeline parallel: two stages, four micro-batches"
# topics = ["T60"]
# devices = ["cpu"]
# processes = 2
# timeout = 120
# ///
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

PARTS = 4


def stages():
    torch.manual_seed(0)
    return [nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 2)]


def first(stage, x):
    """Send all parts on, then take their gradients back, in the same order."""
    outs = [stage(part) for part in x.chunk(PARTS)]
    parts = [out.detach() for out in outs]
    sent = [dist.isend(part, dst=1) for part in parts]  # send() would wait for its recv()
    for out in outs:
        gradient = torch.empty_like(out)
        dist.recv(gradient, src=1)
        out.backward(gradient)
    for part in sent:
        part.wait()


def second(stage, samples):
    total = 0.0
    for _ in range(PARTS):
        hidden = torch.empty(samples // PARTS, 8)
        dist.recv(hidden, src=0)
        hidden.requires_grad_()
        loss = stage(hidden).square().mean() / PARTS  # parts of equal size: their mean is the mean
        loss.backward()
        dist.send(hidden.grad, dst=0)
        total += loss.item()
    print(f"loss from the pipeline {total:.6f}", flush=True)


def work(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    front, back = stages()
    x = torch.arange(32.0).reshape(8, 4) / 32
    whole = back(front(x)).square().mean()
    whole.backward()  # in one process, to compare with
    stage = stages()[rank]
    if rank == 0:
        first(stage, x)
    else:
        second(stage, len(x))
    dist.barrier()  # the line of rank 1 comes first
    expected = [p.grad for p in (front, back)[rank].parameters()]
    same = all(torch.allclose(p.grad, e, atol=1e-6) for p, e in zip(stage.parameters(), expected, strict=True))
    assert same
    for turn in range(2):
        if turn == rank:
            print(f"rank {rank}: {sum(p.numel() for p in stage.parameters())} parameters, gradients equal: {same}")
        dist.barrier()
    if rank == 0:
        print(f"loss in one process    {whole.item():.6f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(folder,), nprocs=2)
