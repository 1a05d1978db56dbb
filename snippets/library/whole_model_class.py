# /// snippet
# title.zh = "整个模型的文件：只记得类的名字，不记得代码"
# title.en = "The file of a whole model: it knows the name of the class, not the code"
# topics = ["T31"]
# devices = ["cpu"]
# timeout = 60
# ///
import sys
from pathlib import Path

import torch

CODE = """
import torch
class {name}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        {setup}
    def forward(self, x):
        return self.layer(x) {change}
"""
sys.path.insert(0, ".")
sys.dont_write_bytecode = True


def write(name="Net", setup="", change=""):
    """Write the module anew, as an editor would, and import what it says now."""
    Path("shapes.py").write_text(CODE.format(name=name, setup=setup, change=change))
    sys.modules.pop("shapes", None)
    return __import__("shapes")


def attempt(what, expect):
    try:
        again = torch.load("whole.pt", weights_only=False)
        answer = "the same output" if again(x).equal(expected) else "ANOTHER OUTPUT"
    except (AttributeError, ModuleNotFoundError) as error:
        answer = f"{type(error).__name__}: {str(error).partition(' on <')[0]}"
    print(f"{what:21} {answer}")
    assert expect in answer


torch.manual_seed(0)
net, x = write().Net(), torch.randn(3, 2)
expected = net(x).detach()
torch.save(net, "whole.pt")
attempt("code as it was:", "the same")
write(change="* 2")
attempt("forward() changed:", "ANOTHER")  # and no word of it
write(setup="self.scale = 2", change="* self.scale")
attempt("attribute added:", "no attribute 'scale'")  # __init__ does not run again
Renamed = write(name="Network").Network
attempt("class renamed:", "attribute 'Net'")
Path("shapes.py").unlink()
del sys.modules["shapes"]
attempt("file moved away:", "No module named 'shapes'")
print("state dict, renamed: ", Renamed().load_state_dict(net.state_dict()))
