# /// snippet
# title.zh = "NumPy 的 float64 遇上 float32 的模型：报错与三种办法"
# title.en = "float64 from NumPy meets a float32 model: the errors and three ways out"
# topics = ["T44"]
# devices = ["cpu"]
# timeout = 60
# ///
import numpy as np
import torch
from torch import nn

array = np.ones((2, 3))
x = torch.from_numpy(array)
linear = nn.Linear(3, 1)
print("NumPy:", array.dtype, "  from_numpy:", x.dtype, "  the layer:", linear.weight.dtype)
assert (x.dtype, linear.weight.dtype) == (torch.float64, torch.float32)


def refused(name, call):
    """Print the words of the error that the call must raise."""
    try:
        call()
    except (RuntimeError, ValueError) as error:
        return print(f"{name}\n   {error}")
    raise AssertionError("it worked")


refused("Linear:", lambda: linear(x))
refused("Conv1d:", lambda: nn.Conv1d(2, 1, 1)(x[None]))
refused("matmul:", lambda: torch.ones(1, 2) @ x)
refused("LSTM:", lambda: nn.LSTM(3, 1)(x))
refused("binary_cross_entropy:", lambda: nn.functional.binary_cross_entropy(torch.ones(2, 3), x))

ways = {
    "x.float()": linear(x.float()),
    "torch.as_tensor(array, dtype=torch.float32)": linear(torch.as_tensor(array, dtype=torch.float32)),
    "array.astype(np.float32)": linear(torch.from_numpy(array.astype(np.float32))),
}
for name, out in ways.items():
    assert out.dtype == torch.float32
    assert torch.equal(out, ways["x.float()"])
    print("works:", name)

exact = linear.double()(x)  # the other way round: all the model in float64
assert exact.dtype == torch.float64
print("works: model.double(), with weights of", linear.weight.nbytes, "bytes where 12 were enough")
