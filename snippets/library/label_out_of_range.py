# /// snippet
# title.zh = "标签越界：CPU 上的明白话"
# title.en = "A label out of range: plain words on the CPU"
# topics = ["T06"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.nn import functional

CLASSES = 3
scores = torch.zeros(2, CLASSES)

attempts = {
    "cross_entropy, label 3": lambda: functional.cross_entropy(scores, torch.tensor([0, 3])),
    "cross_entropy, label -1": lambda: functional.cross_entropy(scores, torch.tensor([0, -1])),
    "cross_entropy, label -100": lambda: functional.cross_entropy(scores, torch.tensor([0, -100])),
    "embedding, number 3": lambda: nn.Embedding(CLASSES, 2)(torch.tensor([3])),
    "gather, index 3": lambda: scores.gather(1, torch.tensor([[3]])),
    "indexing, index 5": lambda: scores[torch.tensor([5])],
    "binary_cross_entropy, 1.2": lambda: functional.binary_cross_entropy(torch.tensor([1.2]), torch.ones(1)),
}
refused = 0
for name, attempt in attempts.items():
    try:
        print(f"{name:26} {attempt():.4f}, no error")
    except (IndexError, RuntimeError) as error:
        refused += 1
        print(f"{name:26} {type(error).__name__}: {error}")
assert refused == len(attempts) - 1  # -100 is ignore_index


def check_labels(labels, classes, ignore_index=-100):
    """Raise ValueError with the labels that a loss over `classes` would choke on."""
    wrong = labels[((labels < 0) | (labels >= classes)) & (labels != ignore_index)]
    if len(wrong):
        raise ValueError(f"labels {wrong.unique().tolist()} are outside 0..{classes - 1}")


check_labels(torch.tensor([0, 2, -100]), CLASSES)
try:
    check_labels(torch.tensor([0, 3, -1, 255, 3]), CLASSES)
except ValueError as error:
    print("checked beforehand:", error)
