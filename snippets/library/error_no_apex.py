# /// snippet
# title.zh = "报错：没有安装 apex"
# title.en = "Error: apex is not installed"
# topics = ["T27"]
# devices = ["cpu"]
# timeout = 60
# raises = "ModuleNotFoundError"
# ///
import torch

scaler = torch.amp.GradScaler("cpu")
with torch.autocast("cpu"):
    out = torch.ones(2, 2) @ torch.ones(2, 2)
print("what torch brings itself:", type(scaler).__name__, "and autocast, which computes in", out.dtype)
import apex  # noqa: E402, F401
