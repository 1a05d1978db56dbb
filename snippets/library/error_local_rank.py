# /// snippet
# title.zh = "报错：int 的括号放错了"
# title.en = "Error: the bracket of int in the wrong place"
# topics = ["T21", "T22"]
# devices = ["cpu"]
# timeout = 60
# raises = "ValueError"
# ///
import os

import torch

os.environ["LOCAL_RANK"] = "1"
print("set:", torch.device("cuda", int(os.getenv("LOCAL_RANK", "-1"))))
del os.environ["LOCAL_RANK"]
print("not set:", int(os.getenv("LOCAL_RANK", "-1")))
int(os.getenv("LOCAL_RANK"), -1)
