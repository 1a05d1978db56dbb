# /// snippet
# title.zh = "完整的混合精度循环：累积、裁剪、调度、存档，接着跑得一模一样"
# title.en = "A whole loop in mixed precision: accumulate, clip, schedule, save, go on the same"
# topics = ["T29"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

PARTS, ACCUMULATE = ["model", "optimizer", "scheduler", "scaler"], 2
torch.manual_seed(0)
X = torch.randn(16, 16, 8)
Y = X.sum(dim=2, keepdim=True)


def build(seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.5)
    # Too high, and growing soon, so that much happens in little time.
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**17, growth_interval=3)
    return model, optimizer, scheduler, scaler


def train(model, optimizer, scheduler, scaler, *, report=False):
    losses = []
    for i, (x, y) in enumerate(zip(X, Y, strict=True), start=1):
        with torch.autocast("cpu", dtype=torch.float16):
            loss = nn.functional.mse_loss(model(x), y)  # itself in float32
        losses.append(loss.item())
        scaler.scale(loss / ACCUMULATE).backward()
        if i % ACCUMULATE:
            continue
        scale = scaler.get_scale()
        scaler.unscale_(optimizer)  # first, so that the limit is on the true gradients
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        stepped = scaler.get_scale() >= scale  # it falls when a step was left out
        if stepped:
            scheduler.step()
        if report:
            rate = scheduler.get_last_lr()[0]
            print(f"{scale:9g} {norm:6.1f}  {['left out', 'step'][stepped]:9} {rate:g}")
    return losses


print("    scale   norm            next rate")
run = build(1)
losses = train(*run, report=True)
torch.save({name: part.state_dict() for name, part in zip(PARTS, run, strict=True)}, "c.pt")
losses += train(*run)
for missing in [None, *PARTS]:
    resumed, saved = build(2), torch.load("c.pt")
    for name, part in zip(PARTS, resumed, strict=True):
        if name != missing:
            part.load_state_dict(saved[name])
    same = train(*resumed) == losses[len(X) :]
    print(f"resumed, missing {missing}:", "the same losses" if same else "another run")
    assert same == (missing is None)
