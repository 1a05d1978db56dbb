# /// snippet
# title.zh = "警告：torch.cuda.amp 的旧名字"
# title.en = "Warning: the old names of torch.cuda.amp"
# topics = ["T27"]
# devices = ["cpu"]
# timeout = 60
# raises = "FutureWarning"
# ///
import warnings

import torch

warnings.simplefilter("error")  # a warning raises, so that it cannot be missed
print("today:", type(torch.amp.GradScaler("cuda", enabled=False)).__name__)
torch.cuda.amp.GradScaler(enabled=False)
