# /// snippet
# title.zh = "装的是哪个版本，为什么看不见 GPU"
# title.en = "Which build is installed, and why no GPU is seen"
# topics = ["T01"]
# devices = ["cpu"]
# timeout = 60
# ///
import os
import subprocess
import sys
from importlib import metadata

import torch


def verdict(*, built, count, visible):
    """Say whether CUDA can be used, and if not, the most basic cause."""
    if not built:
        return "no: the build is for the CPU alone, install another one"
    if visible == "":
        return "no: the cards are hidden"
    return "yes" if count else "no: the build is fine, look at driver, container and card"


package = metadata.distribution("torch")
# Behind the plus, if there is one: for which hardware.
made_for = {"CUDA": torch.version.cuda, "ROCm": torch.version.hip, "XPU": torch.version.xpu}
hardware = ", ".join(f"{name} {version}" for name, version in made_for.items() if version) or "CPU"
installer = (package.read_text("INSTALLER") or "unknown").strip()
print(f"version {torch.__version__}, made for {hardware}, installed by {installer}")

built = torch.version.cuda is not None or torch.version.hip is not None
assert built == torch.backends.cuda.is_built()
found = verdict(built=built, count=torch.cuda.device_count(), visible=os.environ.get("CUDA_VISIBLE_DEVICES"))
assert (found == "yes") == torch.cuda.is_available()
print("CUDA:", found)

# With the cards hidden, a process of this build sees none; what it answers then is computed there.
CHILD = "import torch; print(torch.cuda.device_count(), torch.cuda.is_available())"
environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
done = subprocess.run([sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, check=True)
print("with CUDA_VISIBLE_DEVICES empty, cards and available:", done.stdout.strip())
label = torch.__version__.partition("+")[2]
print("the label agrees with what it was made for:", label.startswith("cpu") == (not built) if label else True)
