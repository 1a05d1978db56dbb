# /// snippet
# title.zh = "sigmoid 与 softmax：dim 写哪一维"
# title.en = "sigmoid and softmax: which dim"
# topics = ["T50"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch
from torch.nn import functional

scores = torch.tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 5.0]])  # two samples, three classes
by_class = functional.softmax(scores, dim=1)
by_sample = functional.softmax(scores, dim=0)
assert torch.allclose(by_class.sum(dim=1), torch.ones(2))
assert torch.allclose(by_sample.sum(dim=0), torch.ones(3))
for row in by_class.tolist():
    print("dim=1:", [round(value, 3) for value in row], "sum", round(sum(row), 3))
print("dim=0 sums over the samples instead:", [round(v, 3) for v in by_sample.sum(dim=1).tolist()])

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    functional.softmax(scores)
print("without dim:", caught[0].message)

# sigmoid looks at each number alone: answers that do not exclude each other
alone = torch.sigmoid(scores)
print("sigmoid:", [round(value, 3) for value in alone[0].tolist()])
pair = torch.stack([scores[0], torch.zeros(3)])
assert torch.allclose(functional.softmax(pair, dim=0)[0], alone[0])  # softmax of a score and zero

# by hand it overflows; torch subtracts the largest first
large = torch.tensor([1000.0, 999.0])
assert (large.exp() / large.exp().sum()).isnan().all()
steady = functional.softmax(large, dim=0)
assert torch.allclose(steady, functional.softmax(torch.tensor([1.0, 0.0]), dim=0))
print("scores of 1000 and 999:", [round(value, 3) for value in steady.tolist()])
assert functional.softmax(torch.tensor([0.0, 200.0]), dim=0).log()[0].item() == float("-inf")
print("log_softmax of 0 and 200:", functional.log_softmax(torch.tensor([0.0, 200.0]), dim=0).tolist())
