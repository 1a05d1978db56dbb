# /// snippet
# title.zh = "一份完整的训练脚本"
# title.en = "A whole training script"
# topics = ["T78"]
# devices = ["cpu"]
# timeout = 120
# ///
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

EPOCHS, BATCH, RATE = 6, 32, 0.02
device = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.bfloat16


def seed_all(seed):
    random.seed(seed)
    torch.manual_seed(seed)


def build():
    model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 3)).to(device)
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    return model, optimizer


@torch.inference_mode()
def accuracy(model, loader):
    model.eval()
    right = sum((model(x.to(device)).argmax(dim=1) == y.to(device)).sum().item() for x, y in loader)
    model.train()
    return right / len(loader.dataset)


seed_all(0)
x = torch.randn(600, 8)
y = (x @ torch.randn(8, 3)).argmax(dim=1)
train_set, test_set = random_split(TensorDataset(x, y), [500, 100])
train = DataLoader(train_set, BATCH, shuffle=True, drop_last=True, generator=torch.Generator().manual_seed(0))
test = DataLoader(test_set, 100)
model, optimizer = build()
steps = EPOCHS * len(train)
warm = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=steps // 10)
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps - steps // 10)
schedule = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm, cosine], [steps // 10])
print(f"accuracy before training: {accuracy(model, test):.2f}")

best, largest = 0.0, 0.0
for epoch in range(EPOCHS):
    total = torch.zeros((), device=device)
    for batch in train:
        inputs, targets = (one.to(device, non_blocking=True) for one in batch)
        with torch.autocast(device, dtype=dtype):
            loss = nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        total += loss.detach()  # no .item() in the loop: it would wait for the device
        largest = max(largest, norm.item()) if epoch == 0 else largest
    found = accuracy(model, test)
    if found > best:
        best = found
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
        torch.save({**state, "epoch": epoch, "rng": torch.get_rng_state()}, "best.pt")
print("the loss of the last epoch is below 0.5:", total.item() / len(train) < 0.5)
print("accuracy above 0.85:", best > 0.85, "and the rate has come down:", schedule.get_last_lr()[0] < RATE / 100)

again, _ = build()
again.load_state_dict(torch.load("best.pt", map_location=device)["model"])
assert accuracy(again, test) == best
print("the best model, loaded again, is as good:", accuracy(again, test) == best)
