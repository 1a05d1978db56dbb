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

values = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": "0"}
for name in values:
    os.environ.pop(name, None)  # as in a program that was started with python alone
for name, value in values.items():  # each is asked for in turn
    try:
        dist.init_process_group("gloo")
    except ValueError as error:
        print(str(error).rpartition(": ")[2])
    os.environ[name] = value
del os.environ["RANK"]
dist.init_process_group("gloo")
