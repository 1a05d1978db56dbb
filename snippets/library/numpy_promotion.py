# /// snippet
# title.zh = "float64 从哪里混进来"
# title.en = "Where float64 slips in"
# topics = ["T44"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore", "__array_wrap__")  # NumPy 2 says this of a tensor times an array

single, double = torch.ones(2), torch.ones(2, dtype=torch.float64)
for name, found, expected in [
    ("torch.tensor([1.0])", torch.tensor([1.0]), torch.float32),
    ("torch.tensor(np.array([1.0]))", torch.tensor(np.array([1.0])), torch.float64),
    ("torch.from_numpy(np.array([1.0]))", torch.from_numpy(np.array([1.0])), torch.float64),
    ("torch.tensor(np.array([1]))", torch.tensor(np.array([1])), torch.int64),
    ("float32 tensor + float64 tensor", single + double, torch.float64),
    ("torch.tensor([np.float64(1)])", torch.tensor([np.float64(1)]), torch.float64),
    ("float32 tensor + float64 of no dimension", single + double[0], torch.float32),
    ("float32 tensor + np.array of no dimension", single + torch.from_numpy(np.array(2.0)), torch.float32),
    ("float32 tensor * np.array(2.0)", single * np.array(2.0), torch.float64),
    ("float32 tensor * 2.5", single * 2.5, torch.float32),
    ("float32 tensor * np.float64(2.5)", single * np.float64(2.5), torch.float32),
    ("int64 tensor / 2", torch.tensor([1, 2]) / 2, torch.float32),
    ("mse_loss of both", torch.nn.functional.mse_loss(single, double), torch.float64),
]:
    print(f"{name:42} {found.dtype}")
    assert found.dtype == expected

tensor = torch.from_numpy(np.zeros(2))
tensor += single  # in place, the tensor keeps its own dtype
assert tensor.dtype == torch.float64
print("in place the dtype stays:", tensor.dtype)

before = torch.get_default_dtype()
torch.set_default_dtype(torch.float64)  # changes what torch makes, not what NumPy brings
assert torch.tensor([1.0]).dtype == torch.float64
assert torch.from_numpy(np.zeros(2, dtype=np.float32)).dtype == torch.float32
torch.set_default_dtype(before)
print("the default dtype is", before, "again")
