# /// snippet
# title.zh = "报错：TorchScript 不收 DataParallel"
# title.en = "Error: TorchScript does not take DataParallel"
# topics = ["T38"]
# devices = ["cpu"]
# timeout = 60
# raises = "NotSupportedError"
# ///
import torch
from torch import nn

wrapped = nn.DataParallel(nn.Linear(2, 2)).cpu()
program = torch.export.export(wrapped.module, (torch.ones(1, 2),))
print("torch.export, of what is inside:", list(program.state_dict))
torch.jit.script(wrapped)
