# /// snippet
# title.zh = "报错：BCE 的输入不在 0 与 1 之间"
# title.en = "Error: inputs of BCE outside of 0 and 1"
# topics = ["T56"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
import torch.nn.functional as F

logits, target = torch.tensor([1.5]), torch.tensor([1.0])
print("with logits:", round(F.binary_cross_entropy_with_logits(logits, target).item(), 4))
print("of the sigmoid:", round(F.binary_cross_entropy(logits.sigmoid(), target).item(), 4))
F.binary_cross_entropy(logits, target)
