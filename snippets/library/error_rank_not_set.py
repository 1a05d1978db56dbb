# /// snippet
# title.zh = "报错：没人设置 RANK"
# title.en = "Error: nobody has set RANK"
# topics = ["T21", "T22"]
# devices = ["cpu"]
# timeout = 60
# raises = "ValueError"
# ///
import os

import torch.distributed as dist

wanted = ["RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"]
print("torchrun would set", ", ".join(wanted))
for name in wanted:
    os.environ.pop(name, None)  # as in a program that was started with python alone
dist.init_process_group("gloo")
