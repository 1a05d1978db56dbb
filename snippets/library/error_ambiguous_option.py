# /// snippet
# title.zh = "报错：--node 既像 --nodes 又像 --node-rank"
# title.en = "Error: --node could be --nodes or --node-rank"
# topics = ["T24"]
# devices = ["cpu"]
# timeout = 60
# raises = "argparse.ArgumentError"
# ///
import argparse

import torch


class Parser(argparse.ArgumentParser):
    """Raises what argparse would print before it ends the program with code 2."""

    def error(self, message):
        raise argparse.ArgumentError(None, message)


parser = Parser(prog="train.py")
for name in ("--nodes", "--gpus", "--node-rank"):
    parser.add_argument(name, type=int, default=1)
options = parser.parse_args(["--nodes", "4", "--gpus", "8", "--node-rank", "1"])
ranks = options.node_rank * options.gpus + torch.arange(options.gpus)
print("ranks of the second machine:", ranks.tolist(), "of", options.nodes * options.gpus)
parser.parse_args(["--node", "4", "--gpus", "8", "--node-rank", "1"])
