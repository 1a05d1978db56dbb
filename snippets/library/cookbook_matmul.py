# /// snippet
# title.zh = "matmul：前面的维是批，最后两维相乘"
# title.en = "matmul: batches in front, the last two multiply"
# topics = ["T50"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

for left, right, expected in [
    ((3,), (3,), ()),  # two vectors: their inner product
    ((2, 3), (3,), (2,)),
    ((3,), (3, 4), (4,)),
    ((2, 3), (3, 4), (2, 4)),
    ((5, 2, 3), (5, 3, 4), (5, 2, 4)),
    ((5, 2, 3), (3, 4), (5, 2, 4)),  # one matrix for the whole batch
    ((7, 1, 2, 3), (5, 3, 4), (7, 5, 2, 4)),  # batches are broadcast
]:
    found = tuple(torch.matmul(torch.ones(left), torch.ones(right)).shape)
    assert found == expected
    print(f"{left!s:13} @ {right!s:10} -> {found}")

a, b = torch.randn(5, 2, 3, dtype=torch.float64), torch.randn(5, 3, 4, dtype=torch.float64)
by_hand = (a[:, :, :, None] * b[:, None, :, :]).sum(dim=2)
assert torch.allclose(a @ b, by_hand)
assert torch.allclose(a @ b, torch.einsum("bij,bjk->bik", a, b))
print("@, matmul, einsum and the sum by hand agree")

try:
    torch.ones(2, 3) @ torch.ones(2, 3)
except RuntimeError as error:
    print("rows and columns that do not fit:", error)
assert (torch.ones(2, 3) * torch.ones(2, 3)).shape == (2, 3)  # * goes element by element
