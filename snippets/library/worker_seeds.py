# /// snippet
# title.zh = "随机增强与工作进程：谁的随机数是一样的"
# title.en = "Random augmentation in workers: whose numbers are the same"
# topics = ["T40"]
# devices = ["cpu"]
# processes = 2
# timeout = 60
# ///
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

WAYS = ["torch.rand", "random.random", "np.random.rand", "own default_rng"]


class Augmented(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)  # each worker gets a copy, in the same state

    def __len__(self):
        return 4

    def __getitem__(self, index):
        old = np.random.rand()  # noqa: NPY002 - the global generator is what it is about
        return torch.tensor([torch.rand(()).item(), random.random(), old, self.rng.random()])


def draw(seed):
    """Give a row of numbers for each sample; samples 0 and 2 are read by worker 0, the others by worker 1."""
    generator = torch.Generator().manual_seed(seed)
    loader = DataLoader(Augmented(), batch_size=1, num_workers=2, generator=generator)
    return torch.cat(list(loader))


def main():
    first, again, other = draw(7), draw(7), draw(8)
    print("                 workers alike  same seed again  other seed")
    for column, way in enumerate(WAYS):
        alike = first[0, column] == first[1, column]
        same, changed = first[:, column].equal(again[:, column]), first[:, column].equal(other[:, column])
        print(f"{way:16} {'yes' if alike else 'no':13}  {'same' if same else 'new':15}  {'same' if changed else 'new'}")
        assert same  # the generator of the loader fixes what its workers draw
        assert alike == changed == (way == "own default_rng")


if __name__ == "__main__":
    main()
