# /// snippet
# title.zh = "use_deterministic_algorithms：不确定的就报错"
# title.en = "use_deterministic_algorithms: an error instead of chance"
# topics = ["T40"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch

index, values = torch.tensor([0, 0]), torch.tensor([1.0, 2.0])


def put():
    """Write two values into one cell: which of them stays is nobody's promise."""
    return torch.zeros(3).put_(index, values)


put()
print("by default: no error")

torch.use_deterministic_algorithms(True)
try:
    put()
except RuntimeError as error:
    print(f"True:       RuntimeError: {str(error).partition(',')[0]}")
else:
    raise AssertionError("put_ was let through")
summed = torch.zeros(3).put_(index, values, accumulate=True)
print("adding up instead is allowed:", summed.tolist())
print("memory nobody wrote to:", torch.empty(2).tolist(), "- filled, so that reading it shows")
assert torch.empty(2).isnan().all()
print("cudnn.deterministic is still", torch.backends.cudnn.deterministic)

torch.use_deterministic_algorithms(True, warn_only=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    put()
print(f"warn_only:  {caught[0].category.__name__}: {str(caught[0].message).partition(',')[0]}")
torch.use_deterministic_algorithms(False)

big, one = torch.tensor(1e8), torch.tensor(1.0)  # why the order of threads shows in a sum
print("(1e8 - 1e8) + 1 =", ((big - big) + one).item(), "| 1e8 + (-1e8 + 1) =", (big + (-big + one)).item())
assert (big - big) + one != big + (-big + one)
