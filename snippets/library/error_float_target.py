# /// snippet
# title.zh = "报错：类别下标是浮点数"
# title.en = "Error: class indices are floats"
# topics = ["T56"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
import torch.nn.functional as F

scores = torch.zeros(2, 3)
print("indices:", F.cross_entropy(scores, torch.tensor([0, 2])).item())
print("probabilities:", F.cross_entropy(scores, torch.full((2, 3), 1 / 3)).item())
F.cross_entropy(scores, torch.tensor([0.0, 2.0]))
