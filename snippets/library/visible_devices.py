# /// snippet
# title.zh = "CUDA_VISIBLE_DEVICES 会重新编号"
# title.en = "CUDA_VISIBLE_DEVICES renumbers the cards"
# topics = ["T46"]
# devices = ["cpu", "cuda"]
# timeout = 120
# ///
import os
import subprocess
import sys

# torch reads the list once, so each list gets a process of its own.
CHILD = """
import torch
cards = torch.cuda._parse_visible_devices()  # torch's own reading of the variable
assert torch.cuda.device_count() <= len(cards)
print(", ".join(f"cuda:{i} = card {card}" for i, card in enumerate(cards[:4])) or "no card")
"""

for visible in ["0,3", "3,0", "2", "", "0,-1,2", "1,1"]:
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": visible}
    done = subprocess.run([sys.executable, "-c", CHILD], env=env, capture_output=True, text=True, check=True)
    print(f"{visible!r:9} -> {done.stdout.strip()}")
