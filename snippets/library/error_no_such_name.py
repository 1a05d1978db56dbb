# /// snippet
# title.zh = "报错：DDP 不叫 nn.DistributedParallel"
# title.en = "Error: DDP is not called nn.DistributedParallel"
# topics = ["T19"]
# devices = ["cpu"]
# timeout = 60
# raises = "AttributeError"
# ///
from torch import nn

print("it lives in nn.parallel:", nn.parallel.DistributedDataParallel.__name__)
assert not hasattr(nn, "DistributedDataParallel")
print(nn.DistributedParallel)
