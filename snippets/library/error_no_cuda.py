# /// snippet
# title.zh = "报错：这里用不了 CUDA"
# title.en = "Error: CUDA cannot be used here"
# topics = ["T01", "T03"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

built = torch.backends.cuda.is_built()
assert not torch.cuda.is_available()  # no card is visible to this run
said = None
try:
    torch.zeros(1).to("cuda")
except (AssertionError, RuntimeError) as error:
    said = error
print(f"{type(said).__name__}: {str(said).splitlines()[0]}")
# A build for CUDA speaks of the driver, or of cards that it does not see.
kind, words = (RuntimeError, "NVIDIA") if built else (AssertionError, "Torch not compiled with CUDA enabled")
if built and torch.cuda.device_count() == 0 and "No CUDA GPUs" in str(said):
    words = "No CUDA GPUs are available"
fits = isinstance(said, kind) and words in str(said)
print("the words are those of this kind of build:", fits)
assert fits
