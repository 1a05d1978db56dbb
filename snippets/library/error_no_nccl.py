# /// snippet
# title.zh = "报错：这里用不了 NCCL"
# title.en = "Error: NCCL cannot be used here"
# topics = ["T22", "T23"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch
import torch.distributed as dist

warnings.simplefilter("ignore")
assert not torch.cuda.is_available()  # no card is visible to this run
said = None
try:
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    dist.barrier()
except (RuntimeError, ValueError) as error:
    said = error
print(f"{type(said).__name__}: {str(said).splitlines()[0]}")
# A build with NCCL says that it finds no card.
words = "GPU" if dist.is_nccl_available() else "Distributed package doesn't have NCCL built in"
print("the words are those of this kind of build:", words in str(said))
assert words in str(said)
