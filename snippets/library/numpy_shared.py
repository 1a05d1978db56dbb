# /// snippet
# title.zh = "from_numpy 与数组共用内存"
# title.en = "from_numpy shares its memory with the array"
# topics = ["T44", "T10"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import numpy as np
import torch

for name, make, shared in [
    ("torch.from_numpy(a)", torch.from_numpy, True),
    ("torch.as_tensor(a)", torch.as_tensor, True),
    ("torch.as_tensor(a, dtype=torch.float32)", lambda a: torch.as_tensor(a, dtype=torch.float32), False),
    ("torch.from_numpy(a).float()", lambda a: torch.from_numpy(a).float(), False),
    ("torch.tensor(a)", torch.tensor, False),
]:
    array = np.zeros(3)
    tensor = make(array)
    array[0] = 7.0  # written on the side of NumPy
    assert (tensor[0].item() == 7.0) == shared
    print(f"{name:40} {tensor.dtype}  shares memory: {shared}")

tensor = torch.zeros(3)
tensor.numpy()[0] = 5.0  # and back
assert tensor[0].item() == 5.0


def refused(name, call):
    """Print the words of the error that the call must raise."""
    try:
        call()
    except (TypeError, ValueError) as error:
        return print(f"{name}\n   {str(error).partition(' (You')[0]}")
    raise AssertionError("it worked")


refused("a flipped array:", lambda: torch.from_numpy(np.arange(3)[::-1]))
refused("an array of strings:", lambda: torch.from_numpy(np.array(["cat", "dog"])))
refused("big-endian numbers:", lambda: torch.from_numpy(np.ones(2, dtype=">f4")))

fixed = np.zeros(2)
fixed.flags.writeable = False
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.from_numpy(fixed)
print("a read-only array:\n  ", str(caught[0].message).partition(". ")[0])
