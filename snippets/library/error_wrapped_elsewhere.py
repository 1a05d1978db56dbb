# /// snippet
# title.zh = "报错：DataParallel 的参数不在第一张卡上"
# title.en = "Error: the parameters of DataParallel are not on its first card"
# topics = ["T18", "T43"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
from torch import nn

wrapped = nn.DataParallel(nn.Linear(2, 2))
# As on a machine with a card: forward looks at the parameters before it touches CUDA.
wrapped.device_ids, wrapped.src_device_obj = [0], torch.device("cuda:0")
print("the model is on", wrapped.module.weight.device)
wrapped(torch.ones(4, 2))
