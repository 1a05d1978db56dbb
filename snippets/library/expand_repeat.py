# /// snippet
# title.zh = "expand 不占内存，repeat 要占"
# title.en = "expand takes no memory, repeat does"
# topics = ["T14"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

column = torch.tensor([[1.0], [2.0], [3.0]])
wide = column.expand(-1, 1000)  # -1: as it was
tiled = column.repeat(1, 1000)  # how many times, not how large
assert torch.equal(wide, tiled)
assert wide.data_ptr() == column.data_ptr()
assert wide.stride() == (1, 0)
for name, tensor in [("column", column), ("expand", wide), ("repeat", tiled)]:
    size = tensor.untyped_storage().nbytes()
    print(f"{name} {tuple(tensor.shape)!s:10} stride {tensor.stride()!s:10} {size:5} bytes")
print("expand(2, -1, 4):", tuple(column.expand(2, -1, 4).shape), "grows new dimensions in front")


def refused(name, call):
    """Print the words of the error that the call must raise."""
    try:
        call()
    except RuntimeError as error:
        return print(f"{name}\n   {error}")
    raise AssertionError("it worked")


refused("a side of 3 to 6:", lambda: column.expand(6, 1))
refused("-1 for a new side:", lambda: column.expand(-1, 3, 4))
refused("add_ to all of it:", lambda: wide.add_(1))

for name, write in [("zero_", wide.zero_), ("fill_", lambda: wide.fill_(9.0))]:  # nobody refuses these
    write()
    print(f"{name} is not refused; the column: {column[:, 0].tolist()}")
assert column.unique().tolist() == [9.0]

wide[0, 0] = 50.0  # nor this: one number is written, a whole row changes
assert column[0].item() == 50.0
print("after wide[0, 0] = 50:", wide[0, :4].tolist(), "and the column:", column[:, 0].tolist())

full = wide.contiguous()  # now it does take the memory
assert full.untyped_storage().nbytes() == 12000

weight = torch.ones(3, 1, requires_grad=True)
weight.expand(3, 1000).sum().backward()  # used a thousand times, so the gradients add up
assert weight.grad.tolist() == [[1000.0]] * 3
print("gradient of one number shown 1000 times:", weight.grad[0].item())
