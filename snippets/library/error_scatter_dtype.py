# /// snippet
# title.zh = "报错：scatter_ 的类型不一致"
# title.en = "Error: scatter_ with two dtypes"
# topics = ["T12"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

index = torch.tensor([[0, 2]])
values = torch.tensor([[1.0, 2.0]], dtype=torch.float64)
print("cast first:", torch.zeros(1, 3).scatter_(1, index, values.float()).tolist())
torch.zeros(1, 3).scatter_(1, index, values)
