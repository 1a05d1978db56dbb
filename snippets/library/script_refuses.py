# /// snippet
# title.zh = "TorchScript 不收 DataParallel，而且已经弃用"
# title.en = "TorchScript refuses DataParallel, and is deprecated"
# topics = ["T38", "T18"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch
from torch import nn

torch.manual_seed(0)
model, x = nn.Linear(3, 2), torch.randn(4, 3)
wrapped = nn.DataParallel(model)
warnings.simplefilter("ignore", DeprecationWarning)

try:
    torch.jit.script(wrapped)
except torch.jit.frontend.NotSupportedError as error:
    print("DataParallel:", str(error).splitlines()[0])
else:
    raise AssertionError("it was compiled")

script = torch.jit.script(wrapped.module)  # the cure: take the model out
script.save("script.pt")
again = torch.jit.load("script.pt")
assert again(x).equal(model(x))
print("the model inside: compiled, the same output, keys", list(again.state_dict()))

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.jit.script(nn.ReLU())
    torch.jit.load("script.pt")
for message in sorted({str(warning.message) for warning in caught}):
    print("warning:", message)
assert {warning.category for warning in caught} == {DeprecationWarning}
print("reported from the calling file:", any(warning.filename == __file__ for warning in caught))

warnings.simplefilter("ignore", UserWarning)
try:
    torch.load("script.pt")
except RuntimeError as error:
    print("torch.load:", str(error).partition(". ")[0])
