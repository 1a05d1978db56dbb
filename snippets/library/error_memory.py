# /// snippet
# title.zh = "报错：内存不够，CPU 上的说法"
# title.en = "Error: out of memory, as the CPU words it"
# topics = ["T05"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

values = 2**58
print(f"asked for {values * 4 / 2**60:.0f} EiB of float32")
torch.empty(values)
