# /// snippet
# title.zh = "装的是哪个版本，为什么看不见 GPU"
# title.en = "Which build is installed, and why no GPU is seen"
# topics = ["T01"]
# devices = ["cpu"]
# timeout = 60
# ///
import os
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
print("version:", torch.__version__)
print("installed by:", (package.read_text("INSTALLER") or "unknown").strip())
made_for = {"CUDA": torch.version.cuda, "ROCm": torch.version.hip, "XPU": torch.version.xpu}
print("made for:", ", ".join(f"{name} {version}" for name, version in made_for.items() if version) or "CPU")

built = torch.version.cuda is not None or torch.version.hip is not None
assert built == torch.backends.cuda.is_built()
found = verdict(built=built, count=torch.cuda.device_count(), visible=os.environ.get("CUDA_VISIBLE_DEVICES"))
assert (found == "yes") == torch.cuda.is_available()
print("CUDA:", found)

print("elsewhere it would say:")
for built, count, visible in [(False, 0, None), (True, 0, ""), (True, 0, None), (True, 2, None)]:
    build = "CUDA build" if built else "CPU build"
    hidden = "" if visible is None else ", an empty CUDA_VISIBLE_DEVICES"
    print(f"  {build}, {count} cards{hidden} -> {verdict(built=built, count=count, visible=visible)}")
