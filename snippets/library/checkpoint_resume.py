# /// snippet
# title.zh = "检查点往返：停下再继续，逐位相同"
# title.en = "Checkpoint round trip: stop, resume, equal to the bit"
# topics = ["T32"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(64, 8)
Y = X.sin().sum(dim=1, keepdim=True)
PARTS = ["model", "optimizer", "scheduler"]


def fresh(seed):
    torch.manual_seed(seed)
    hidden = nn.Linear(8, 32)
    model = nn.Sequential(hidden, nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, epochs):
    losses = []
    for _ in epochs:
        total = 0.0
        for batch in torch.randperm(64).split(16):  # shuffling and dropout draw numbers
            loss = nn.functional.mse_loss(model(X[batch]), Y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        scheduler.step()
        losses.append(total / 4)
    return losses


def resume(path, without=None):
    checkpoint = torch.load(path)
    run = fresh(seed=123)  # as in a new process: other weights, other random numbers
    for name, part in zip(PARTS, run, strict=True):
        if name != without:
            part.load_state_dict(checkpoint[name])
    if without != "random state":
        torch.set_rng_state(checkpoint["random state"])
    return run, checkpoint["losses"] + train(*run, range(checkpoint["epoch"], 6))


straight = fresh(seed=1)
losses = train(*straight, range(6))
print("straight through:", " ".join(f"{loss:.3f}" for loss in losses))

stopped = fresh(seed=1)
checkpoint = {"losses": train(*stopped, range(3)), "epoch": 3}
for name, part in zip(PARTS, stopped, strict=True):
    checkpoint[name] = part.state_dict()
checkpoint["random state"] = torch.get_rng_state()
torch.save(checkpoint, "checkpoint.pt")

resumed, again = resume("checkpoint.pt")
print("stop and resume: ", " ".join(f"{loss:.3f}" for loss in again))
pairs = zip(straight[0].parameters(), resumed[0].parameters(), strict=True)
same = all(one.equal(other) for one, other in pairs)
print("losses equal:", losses == again, "| weights equal:", same)
for part in [*PARTS, "random state"]:
    same = resume("checkpoint.pt", without=part)[1] == losses
    print(f"without the {part}: {'equal' if same else 'another run'}")
