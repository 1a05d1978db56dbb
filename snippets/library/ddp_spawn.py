# /// snippet
# title.zh = "DDP spawn 演示"
# title.en = "DDP spawn demo"
# topics = ["T24", "T19"]
# devices = ["cpu", "cuda"]
# processes = 2
# timeout = 120
# ///
import argparse
import gc

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel


def train(gpu, args, port):
    """The whole life of one process; `gpu` is its number on its own machine."""
    world = args.nodes * args.gpus
    rank = args.node_rank * args.gpus + gpu
    cuda = torch.cuda.device_count() >= args.gpus
    device = torch.device("cuda", gpu) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    store = dist.TCPStore(args.addr, port, is_master=False)
    backend = "nccl" if cuda else "gloo"
    dist.init_process_group(backend, store=store, rank=rank, world_size=world)

    def say(text):  # one rank after the other, so that the lines keep their order
        for turn in range(world):
            if turn == rank:
                print(f"[rank {rank}] {text}", flush=True)
            dist.barrier()

    say(f"node {args.node_rank}, local rank {gpu}, one of {world}, on {device}")
    model = torch.nn.Linear(1, 1, bias=False, device=device)
    torch.nn.init.constant_(model.weight, rank + 1)
    before = model.weight.item()
    model = DistributedDataParallel(model, device_ids=[gpu] if cuda else None)
    say(f"weight {before:g} before wrapping, {model.module.weight.item():g} after")

    data = torch.arange(1.0, 4 * world + 1, device=device) / (4 * world)
    x = data[rank::world, None]  # its own shard: every world-th sample
    optimizer = torch.optim.SGD(model.parameters(), lr=0.9)
    losses = []
    for _ in range(args.steps):
        loss = (model(x) - 3 * x).square().mean()
        optimizer.zero_grad()
        loss.backward()  # here the ranks average their gradients
        optimizer.step()
        losses.append(loss.item())
    say(f"shard {x.flatten().tolist()}: loss {losses[0]:.3f} -> {losses[-1]:.3f}")
    say(f"weight {model.module.weight.item():.3f} after {args.steps} steps")

    del model, optimizer, loss  # DDP has threads in the group: it goes first
    gc.collect()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=1, help="machines")
    parser.add_argument("--gpus", type=int, default=2, help="processes on each")
    parser.add_argument("--node-rank", type=int, default=0, help="its number")
    parser.add_argument("--addr", default="127.0.0.1", help="address of machine 0")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    if args.nodes > 1 and args.port == 0:
        parser.error("machines meet at a port that all of them know: give --port")
    port = args.port
    if args.node_rank == 0:  # listen now, before another program takes it
        store = dist.TCPStore(args.addr, port, is_master=True, wait_for_workers=False)
        port = store.port
    mp.spawn(train, args=(args, port), nprocs=args.gpus)
    print(f"all {args.gpus} processes of node {args.node_rank} have ended well")


if __name__ == "__main__":
    main()
