# /// snippet
# title.zh = "加载一部分权重：名字和形状都要对得上"
# title.en = "Loading some of the weights: names and shapes must both match"
# topics = ["T33"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes, *, neck=False):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
        if neck:
            self.neck = nn.Linear(8, 8)
        self.head = nn.Linear(8, classes)


torch.manual_seed(0)
torch.save(Net(classes=10).state_dict(), "pretrained.pt")
state = torch.load("pretrained.pt")
net = Net(classes=3, neck=True)
start = {name: tensor.clone() for name, tensor in net.state_dict().items()}

try:
    net.load_state_dict(state, strict=False)
except RuntimeError as error:
    print("strict=False, head of another size:")
    print(*str(error).splitlines()[1:], sep="\n")
else:
    raise AssertionError("another size was accepted")

own = net.state_dict()
fits = {name: t for name, t in state.items() if name in own and t.shape == own[name].shape}
answer = net.load_state_dict(fits, strict=False)
print("left out of the file:", ", ".join(name for name in state if name not in fits))
print("missing:", ", ".join(answer.missing_keys))
print("unexpected:", answer.unexpected_keys)
assert {name.split(".")[0] for name in answer.missing_keys} == {"neck", "head"}  # nothing else

for name, tensor in net.state_dict().items():
    came_from = state if name in fits else start
    assert tensor.equal(came_from[name]), name
print("loaded", len(fits), "of", len(own), "entries; the others are as they were built")

typo = {f"backbone.{name}": tensor for name, tensor in fits.items()}
answer = net.load_state_dict(typo, strict=False)
# That counter is filled in without a word: files of an old torch do not have it.
assert set(own) - set(answer.missing_keys) == {"body.1.num_batches_tracked"}
print("names that do not match:", len(answer.missing_keys), "missing, and no error")

layer = {name.removeprefix("body.0."): t for name, t in state.items() if name.startswith("body.0.")}
print("one layer:", net.body[0].load_state_dict(layer))
try:
    net.body[0].weight = state["body.0.weight"]
except TypeError as error:
    print("assigned instead:", error)
