# /// snippet
# title.zh = "报错：stack 的张量大小不一"
# title.en = "Error: stack of unequal tensors"
# topics = ["T42"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
from torch.nn.utils.rnn import pad_sequence

samples = [torch.tensor([1, 2]), torch.tensor([3, 4, 5])]
print("padded:", pad_sequence(samples, batch_first=True).tolist())
next(iter(torch.utils.data.DataLoader(samples, batch_size=2)))
