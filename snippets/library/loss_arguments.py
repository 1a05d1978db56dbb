# /// snippet
# title.zh = "交叉熵的 weight、ignore_index 和 reduction，亲手算一遍"
# title.en = "weight, ignore_index and reduction of cross entropy, by hand"
# topics = ["T56"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch
from torch.nn import functional

torch.manual_seed(0)
logits = torch.randn(5, 3)
target = torch.tensor([0, 2, 1, -100, 2])
weight = torch.tensor([1.0, 2.0, 5.0])

counted = target != -100  # ignore_index, by default
safe = target.where(counted, 0)
own = -logits.log_softmax(dim=1).gather(1, safe[:, None])[:, 0]
share = weight[safe] * counted  # what each sample counts for

by_hand = {
    "none": own * share,
    "sum": (own * share).sum(),
    "mean": (own * share).sum() / share.sum(),
}
for reduction, value in by_hand.items():
    built_in = functional.cross_entropy(logits, target, weight, reduction=reduction)
    numbers = ", ".join(f"{number:.4f}" for number in built_in.reshape(-1).tolist())
    print(f"{reduction:5} {numbers}")
    torch.testing.assert_close(built_in, value)

plain = by_hand["none"].mean()
print(f"the plain mean of the first line would be {plain:.4f}")
assert not torch.isclose(plain, by_hand["mean"])

nothing = functional.cross_entropy(logits, torch.full((5,), -100))
print("all ignored, mean:", nothing.item())
assert nothing.isnan()

print("old arguments:")
for arguments in [
    {"size_average": True},
    {"size_average": False},
    {"reduce": False},
    {"reduction": "elementwise_mean"},
]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = functional.cross_entropy(logits, target, weight, **arguments)
    today = str(caught[0].message).split("reduction='")[-1].partition("'")[0]
    ((name, given),) = arguments.items()
    print(f"  {name}={given!r} is reduction={today!r}")
    torch.testing.assert_close(value, by_hand[today])
