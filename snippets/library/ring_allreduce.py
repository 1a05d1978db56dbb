# /// snippet
# title.zh = "环形 all-reduce：逐步模拟并数字节"
# title.en = "Ring all-reduce: simulated, and its bytes counted"
# topics = ["T20"]
# devices = ["any"]
# timeout = 60
# ///
import matplotlib.pyplot as plt
import torch


def ring(tensors):
    """Sum over all ranks by talking to the right-hand neighbour only.

    Returns the result of each rank, and how many elements each rank has sent.
    """
    n = len(tensors)
    chunks = [list(tensor.clone().chunk(n)) for tensor in tensors]
    sent = 0
    for step in range(n - 1):  # reduce-scatter: every chunk collects on its way round
        moving = [chunks[rank][(rank - step) % n].clone() for rank in range(n)]
        for rank in range(n):
            chunks[(rank + 1) % n][(rank - step) % n] += moving[rank]
        sent += moving[0].numel()
    for step in range(n - 1):  # all-gather: the finished chunks go round once more
        moving = [chunks[rank][(rank + 1 - step) % n].clone() for rank in range(n)]
        for rank in range(n):
            chunks[(rank + 1) % n][(rank + 1 - step) % n] = moving[rank]
        sent += moving[0].numel()
    return [torch.cat(parts) for parts in chunks], sent


def server(tensors):
    """Sum on rank 0, which receives every tensor and sends the sum to all; return it and what rank 0 has sent."""
    total = torch.stack(tensors).sum(dim=0)
    copies = [total.clone() for _ in tensors[1:]]  # one for each of the others
    return [total, *copies], sum(copy.numel() for copy in copies)


size = 64 * 500  # elements of the gradient; every N below divides it
ranks = [2, 4, 8, 16, 32, 64]
by_ring, by_server = [], []
print(f"D = {4 * size} bytes of float32; a rank sends")
print(" N   bytes   bytes / D   2(N-1)/N   a server sends / D")
for n in ranks:
    tensors = [torch.arange(size, dtype=torch.float32) % 97 + rank for rank in range(n)]
    results, sent = ring(tensors)
    total = torch.stack(tensors).sum(dim=0)
    assert all(result.equal(total) for result in results)
    assert sent * n == 2 * (n - 1) * size
    by_ring.append(sent / size)
    others, sent_by_server = server(tensors)
    assert all(result.equal(total) for result in others)
    by_server.append(sent_by_server / size)
    share = f"{sent / size:.4f}      {2 * (n - 1) / n:.4f}"
    print(f"{n:2}  {4 * sent:6}   {share}     {by_server[-1]:.0f}")
print("every rank holds the same exact sum")

figure, axes = plt.subplots(figsize=(6.4, 3))
axes.plot(ranks, by_ring, "o-", color="#3b5bdb", label="ring, every rank")
axes.plot(ranks, by_server, "s--", color="#c2410c", label="server, alone")
axes.set_xscale("log", base=2)
axes.set_yscale("log", base=2)
axes.set(xlabel="ranks N", ylabel="bytes sent / D", xticks=ranks, xticklabels=ranks)
axes.grid(alpha=0.3)
axes.legend()
figure.savefig("ring.png", dpi=150, bbox_inches="tight")
