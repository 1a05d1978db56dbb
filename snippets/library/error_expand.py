# /// snippet
# title.zh = "报错：expand 只能撑大为 1 的维"
# title.en = "Error: expand grows nothing but size 1"
# topics = ["T14"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

print("3 x 1 grows:", tuple(torch.ones(3, 1).expand(3, 4).shape))
print("3 x 2 is repeated instead:", tuple(torch.ones(3, 2).repeat(1, 2).shape))
torch.ones(3, 2).expand(3, 4)
