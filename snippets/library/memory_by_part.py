# /// snippet
# title.zh = "图：训练时内存由哪几部分组成"
# title.en = "Picture: the memory of training, part by part"
# topics = ["T05"]
# devices = ["cpu"]
# timeout = 90
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

torch.manual_seed(0)
COLOURS = {"parameters": "#3b5bdb", "gradients": "#26803a", "optimizer state": "#97620b", "activations": "#c2410c"}


def measure(batch, make):
    """Train one step; give the megabytes of each part."""
    first = [nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU()]
    last = [nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(1024, 1024), nn.Linear(1024, 10)]
    model = nn.Sequential(*first, *last)
    optimizer = make(model.parameters())
    x, kept = torch.randn(batch, 3, 64, 64), {}
    known = {t.untyped_storage().data_ptr() for t in [x, *model.parameters()]}

    def note(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = storage.nbytes()  # views share one storage
        return tensor

    with saved_tensors_hooks(note, lambda tensor: tensor):
        loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    weights = list(model.parameters())
    states = [t for state in optimizer.state.values() for t in state.values() if t is not None]
    parts = [sum(t.nbytes for t in group) for group in (weights, [p.grad for p in weights], states)]
    return [size / 1e6 for size in [*parts, sum(kept.values())]]


runs = {"SGD, batch 1": (1, lambda p: torch.optim.SGD(p, lr=0.1))}
runs |= {f"Adam, batch {batch}": (batch, torch.optim.Adam) for batch in [1, 16, 64]}
measured = {name: measure(*run) for name, run in runs.items()}

print("megabytes        " + "  ".join(COLOURS))
for name, sizes in measured.items():
    print(f"{name:14}" + "".join(f"{size:>{len(part) + 2}.2f}" for size, part in zip(sizes, COLOURS, strict=True)))

figure, axes = plt.subplots(figsize=(7, 2.4))
for index, (part, colour) in enumerate(COLOURS.items()):
    lefts, widths = zip(*[(sum(sizes[:index]), sizes[index]) for sizes in measured.values()], strict=True)
    axes.barh(list(measured), widths, left=lefts, color=colour, edgecolor="white", label=part)
for name, sizes in measured.items():
    axes.text(sum(sizes) + 0.8, name, f"{sum(sizes):.0f} MB", va="center", color="#626973")
axes.invert_yaxis()
axes.set(xlabel="megabytes", xlim=(0, 80))
axes.legend(frameon=False, loc="upper right")
figure.savefig("memory.png", dpi=150, bbox_inches="tight")
assert measured["Adam, batch 64"][:3] == measured["Adam, batch 1"][:3]
