# /// snippet
# title.zh = "报错：没有安装 torch"
# title.en = "Error: torch is not installed"
# topics = ["T01"]
# devices = ["cpu"]
# timeout = 60
# raises = "ModuleNotFoundError"
# ///
import importlib
import sys

# As in a Python in which nothing is installed: its own library only.
sys.path[:] = [place for place in sys.path if not place.endswith("-packages")]
print("what Python brings itself:", importlib.import_module("json").__name__)
importlib.import_module("torch")
