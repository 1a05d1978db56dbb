# /// snippet
# title.zh = "BatchNorm：训练与否、跟踪与否，四种情形"
# title.en = "BatchNorm: training or not, tracking or not, the four cases"
# topics = ["T39"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

torch.manual_seed(0)
first, second = (torch.randn(64, 3) * 2 + shift for shift in (5, -1))


def normalised(x, mean, var):
    return (x - mean) / (var + 1e-5).sqrt()


def source(norm, x):
    """Return whose mean and variance made the output, and whether the buffers moved."""
    before = None if norm.running_mean is None else norm.running_mean.clone()
    kept = None if before is None else normalised(x, before, norm.running_var.clone())
    out = norm(x)
    batch = normalised(x, x.mean(dim=0), x.var(dim=0, correction=0))
    uses_batch = torch.allclose(out, batch, atol=1e-5)
    assert uses_batch or torch.allclose(out, kept, atol=1e-5)
    moved = before is not None and not norm.running_mean.equal(before)
    return "the batch" if uses_batch else "the buffers", moved


print("training  track   normalised by  buffers move")
table = {}
for training in [True, False]:
    for track in [True, False]:
        norm = nn.BatchNorm1d(3, track_running_stats=track)
        norm(first)
        norm.train(training)
        table[training, track] = source(norm, second)
        who, moved = table[training, track]
        buffers = "none there" if norm.running_mean is None else moved
        print(f"{training!s:9} {track!s:7} {who:14} {buffers}")
assert table[True, True] == ("the batch", True)
assert table[False, True] == ("the buffers", False)
assert table[True, False] == table[False, False] == ("the batch", False)

late = nn.BatchNorm1d(3)
late(first)
late.track_running_stats = False  # afterwards: the buffers are still there
print("switched off later, eval mode:", source(late.eval(), second)[0])
who, moved = source(late.train(), second)
print(f"switched off later, training mode: {who}, buffers move: {moved}")
assert source(late.eval(), second)[0] == "the buffers"

norm = nn.BatchNorm1d(3, track_running_stats=False).eval()
alone, together = norm(second[:2])[0], norm(second)[0]
print("eval, not tracking: a sample depends on its batch:", not torch.allclose(alone, together))
