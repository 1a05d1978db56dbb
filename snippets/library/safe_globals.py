# /// snippet
# title.zh = "weights_only：拒绝什么，怎样放行"
# title.en = "weights_only: what it refuses, and how to let a class pass"
# topics = ["T31"]
# devices = ["cpu"]
# timeout = 60
# ///
import pickle
import sys

import torch
from torch import nn
from torch.serialization import get_unsafe_globals_in_checkpoint, safe_globals


class Trap:
    """Says, when pickled, what shall be called on loading: here print, elsewhere worse."""

    def __reduce__(self):
        return print, ("  code from the file is running",)


def refused(path):
    """Load a file and return the line of the error that names what is in the way."""
    try:
        torch.load(path)
    except pickle.UnpicklingError as error:
        line = next(line for line in str(error).splitlines() if "Unsupported" in line)
        return line.partition("error: ")[2].partition(" Please")[0]
    return None


torch.save({"weight": torch.ones(2), "extra": Trap()}, "trap.pt")
print("a file with a trap in it, weights_only=False:")
torch.load("trap.pt", weights_only=False)
print("by default:")
print(" ", refused("trap.pt"))
assert refused("trap.pt") is not None
sys.stdout.flush()

net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
torch.save(net, "whole.pt")
torch.save(net.state_dict(), "weights.pt")
print("a whole model, by default:")
print(" ", refused("whole.pt"))
print("named in the files, not allowed by default:")
for path in ["weights.pt", "whole.pt", "trap.pt"]:
    print(f"  {path}:", ", ".join(sorted(get_unsafe_globals_in_checkpoint(path))) or "nothing")

with safe_globals([nn.Sequential, nn.Linear]):
    print("two of the three allowed:", refused("whole.pt"))
    assert "ReLU" in refused("whole.pt")
with safe_globals([nn.Sequential, nn.Linear, nn.ReLU]):
    again = torch.load("whole.pt")
assert again(torch.ones(1, 2)).equal(net(torch.ones(1, 2)))
print("all three allowed: loaded, with the same output")
assert refused("whole.pt") is not None
print("after the block: refused again")
