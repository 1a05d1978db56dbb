# /// snippet
# title.zh = "这些操作给的是视图还是副本"
# title.en = "Which operations give a view, and which a copy"
# topics = ["T47"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

a = torch.arange(6).view(2, 3)
t = a.t()  # a view with its strides swapped

rows = [
    ("a.view(3, 2)", a.view(3, 2), "view"),
    ("a.reshape(3, 2)", a.reshape(3, 2), "view"),
    ("a.flatten()", a.flatten(), "view"),
    ("a.t()", a.t(), "view"),
    ("a.permute(1, 0)", a.permute(1, 0), "view"),
    ("a[:, 1:]", a[:, 1:], "view"),
    ("a[:, [1, 2]]", a[:, [1, 2]], "copy"),  # a list as index always copies
    ("a[a > 3]", a[a > 3], "copy"),  # and so does a mask
    ("t.view(3, 1, 2)", t.view(3, 1, 2), "view"),
    ("t.reshape(6)", t.reshape(6), "copy"),
    ("t.flatten()", t.flatten(), "copy"),
    ("t.contiguous()", t.contiguous(), "copy"),
    ("a.contiguous()", a.contiguous(), "itself"),
]
memory = a.untyped_storage().data_ptr()
print(f"{'':16} shape      stride     contiguous  memory")
for name, result, expected in rows:
    shared = result.untyped_storage().data_ptr() == memory
    found = "itself" if result is a else "view" if shared else "copy"
    shape, stride = str(tuple(result.shape)), str(result.stride())
    print(f"{name:16} {shape:10} {stride:10} {result.is_contiguous()!s:11} {found}")
    assert found == expected
