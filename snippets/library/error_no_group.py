# /// snippet
# title.zh = "报错：进程组还没有初始化"
# title.en = "Error: no process group yet"
# topics = ["T26"]
# devices = ["cpu"]
# timeout = 60
# raises = "ValueError"
# ///
import torch.distributed as dist

rank = dist.get_rank() if dist.is_available() and dist.is_initialized() else 0
print("asked with care: rank", rank)
dist.barrier()
