# /// snippet
# title.zh = "报错：反向要用的值被原地改了"
# title.en = "Error: a value that backward needs was changed in place"
# topics = ["T41"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

x = torch.zeros(2, requires_grad=True)
out = x.exp()  # its gradient is out itself, so out is kept
safe = out.detach().clone()
safe.zero_()
print("a clone may change:", out.tolist())
out.detach().zero_()  # without clone: the same memory
out.sum().backward()
