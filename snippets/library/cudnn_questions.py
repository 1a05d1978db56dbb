# /// snippet
# title.zh = "cuDNN：三个不同的问题"
# title.en = "cuDNN: three different questions"
# topics = ["T02"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
from torch.backends import cudnn

version, available, enabled = cudnn.version(), cudnn.is_available(), cudnn.enabled
print("version():     ", version, "- the library found beside torch, None if there is none")
print("is_available():", available, "- this build can call it")
print("enabled:       ", enabled, "- the switch that you may turn")

if available:
    assert version is not None  # nothing to call without a library
assert enabled  # on from the start, even where there is nothing to switch

with cudnn.flags(enabled=False):
    print("switched off:   enabled", cudnn.enabled, "| availability unchanged", cudnn.is_available() == available)
print("after the block: enabled", cudnn.enabled)
