# /// snippet
# title.zh = "gather 的尺寸与越界"
# title.en = "gather: sizes and bounds"
# topics = ["T11"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

table = torch.arange(12).view(3, 4)


def attempt(name, index):
    try:
        print(f"{name}: shape {tuple(table.gather(1, index).shape)}")
    except RuntimeError as error:
        print(f"{name}: {error}")


long = torch.long
attempt("as many rows, more columns", torch.zeros(3, 9, dtype=long))
attempt("fewer rows", torch.zeros(2, 2, dtype=long))
attempt("more rows", torch.zeros(4, 2, dtype=long))
attempt("too few dimensions", torch.zeros(3, dtype=long))
attempt("past the end", torch.tensor([[4]]))
attempt("negative", torch.tensor([[-1]]))
attempt("int32", torch.zeros(3, 1, dtype=torch.int32))
attempt("float", torch.zeros(3, 1))
