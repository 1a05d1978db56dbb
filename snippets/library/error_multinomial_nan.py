# /// snippet
# title.zh = "报错：抽样的概率不是有限数"
# title.en = "Error: probabilities that are not finite"
# topics = ["T71"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

logits = torch.tensor([1.0, 2.0, 3.0])
torch.manual_seed(0)
print("drawn:", torch.multinomial(logits.softmax(dim=0), 1).tolist())
cold = (logits / 0.0).softmax(dim=0)
print("temperature 0:", cold.tolist())
torch.multinomial(cold, 1)
