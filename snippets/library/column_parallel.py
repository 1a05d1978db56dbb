# /// snippet
# title.zh = "张量并行：一个 MLP 切到两个进程"
# title.en = "Tensor parallel: one MLP split over two processes"
# topics = ["T60"]
# devices = ["cpu"]
# processes = 2
# timeout = 120
# ///
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

torch.manual_seed(0)  # in every process: the same weights and the same input
X, A, B = torch.randn(5, 4), torch.randn(4, 6), torch.randn(6, 3)
WHOLE_A, WHOLE_B = A.clone().requires_grad_(), B.clone().requires_grad_()
HIDDEN = torch.relu(X @ WHOLE_A)
WHOLE = HIDDEN @ WHOLE_B
WHOLE.square().sum().backward()


class SumOverRanks(torch.autograd.Function):
    """Add up the parts; each part's gradient is that of the sum, as it comes."""

    @staticmethod
    def forward(_ctx, part):
        total = part.clone()
        dist.all_reduce(total)
        return total

    @staticmethod
    def backward(_ctx, gradient):
        return gradient


def work(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    a = A.chunk(2, dim=1)[rank].clone().requires_grad_()  # half the columns
    b = B.chunk(2, dim=0)[rank].clone().requires_grad_()  # the rows that belong to them

    hidden = torch.relu(X @ a)  # no exchange: ReLU looks at each number alone
    columns = [torch.empty_like(hidden) for _ in range(2)]
    dist.all_gather(columns, hidden.detach())
    gathered = torch.cat(columns, dim=1)

    out = SumOverRanks.apply(hidden @ b)  # the only exchange that is needed
    out.square().sum().backward()
    own_a, own_b = WHOLE_A.grad.chunk(2, dim=1)[rank], WHOLE_B.grad.chunk(2, dim=0)[rank]
    equal = {
        "columns": torch.allclose(gathered, HIDDEN),
        "output": torch.allclose(out, WHOLE, atol=1e-5),
        "gradients": torch.allclose(a.grad, own_a, atol=1e-4) and torch.allclose(b.grad, own_b, atol=1e-4),
    }
    assert all(equal.values()), equal
    reports = [None, None]
    dist.all_gather_object(reports, f"first {tuple(a.shape)}, second {tuple(b.shape)}, equal: {', '.join(equal)}")
    if rank == 0:
        print(f"whole:  first {tuple(A.shape)}, second {tuple(B.shape)}")
        for who, line in enumerate(reports):
            print(f"rank {who}: {line}")
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=(folder,), nprocs=2)
