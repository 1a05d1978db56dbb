# /// snippet
# title.zh = "state dict 往返与 eval()"
# title.en = "State dict round trip, and eval()"
# topics = ["T30"]
# devices = ["any"]
# timeout = 60
# ///
import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or "cpu"


def build():
    hidden = [nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5)]
    return nn.Sequential(*hidden, nn.Linear(16, 2)).to(device)


torch.manual_seed(0)
trained = build()
for _ in range(20):  # batch norm gathers its statistics
    trained(torch.randn(32, 4, device=device) + 3)
torch.save(trained.state_dict(), "net.pt")

loaded = build()  # the code makes the shape, the file fills it
state = torch.load("net.pt", map_location=device)
print(loaded.load_state_dict(state))
parameters = dict(loaded.named_parameters())
print(len(state), "entries,", len(parameters), "of them parameters; the buffers are")
print(" ", ", ".join(name for name in state if name not in parameters))

x = torch.randn(8, 4, device=device) + 3
with torch.no_grad():
    print("still in training mode:")
    print("  the same input twice gives the same output:", loaded(x).equal(loaded(x)))
    loaded.load_state_dict(state)  # those two calls have moved the running mean
    trained.eval()
    loaded.eval()
    print("after eval():")
    print("  the same input twice gives the same output:", loaded(x).equal(loaded(x)))
    difference = (loaded(x) - trained(x)).abs().max().item()
    print("  largest difference to the saved one:", difference)

with torch.no_grad():
    before = loaded[1].running_mean.clone()
    loaded(x)
    print("running mean moves in eval():", not before.equal(loaded[1].running_mean))
    loaded.train()
    loaded(x)
    print("running mean moves in train():", not before.equal(loaded[1].running_mean))
