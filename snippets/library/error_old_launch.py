# /// snippet
# title.zh = "警告：torch.distributed.launch 已被取代"
# title.en = "Warning: torch.distributed.launch is superseded"
# topics = ["T23"]
# devices = ["cpu"]
# timeout = 60
# raises = "FutureWarning"
# ///
import warnings

from torch.distributed import launch

warnings.simplefilter("error")  # a warning raises, so that it cannot be missed
launch.main(["--nproc-per-node=1", "train.py"])
