# /// snippet
# title.zh = "报错：端口被占用"
# title.en = "Error: the port is taken"
# topics = ["T21"]
# devices = ["cpu"]
# timeout = 60
# raises = "torch.distributed.DistNetworkError"
# ///
import torch.distributed as dist

first = dist.TCPStore("127.0.0.1", 0, world_size=1, is_master=True)  # port 0: the system picks a free one
print("the system picked one:", first.port > 0)
dist.TCPStore("127.0.0.1", first.port, world_size=1, is_master=True)
