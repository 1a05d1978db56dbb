# /// snippet
# title.zh = "广播的规则，算一遍再核对"
# title.en = "The rule of broadcasting, worked out and checked"
# topics = ["T70"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch


def shape(*sizes):
    """Work out the shape of broadcasting by its rule, and compare it with torch."""
    longest = max(map(len, sizes))
    padded = [(1,) * (longest - len(size)) + size for size in sizes]
    result = []
    for places in zip(*padded, strict=True):
        wanted = {size for size in places if size != 1}
        if len(wanted) > 1:
            return None
        result.append(wanted.pop() if wanted else 1)
    return tuple(result)


for sizes in [((3, 1), (4,)), ((2, 3, 4), (3, 1)), ((8, 1, 6), (7, 1)), ((3,), (4,)), ((2, 3), (2,))]:
    expected = shape(*sizes)
    try:
        found = tuple(torch.broadcast_shapes(*sizes))
    except RuntimeError:
        found = None
    assert found == expected
    print(*sizes, "->", found or "does not fit")

column, row = torch.arange(3.0)[:, None], torch.arange(3.0)
print("a column minus a row is a table:", tuple((column - row).shape), "mean", (column - row).square().mean().item())
print("meant:", (column.squeeze(1) - row).square().mean().item())
x = torch.zeros(2, 3)
try:
    x += torch.ones(4, 2, 3)  # in place, the left side keeps its shape
except RuntimeError as error:
    print(error)
