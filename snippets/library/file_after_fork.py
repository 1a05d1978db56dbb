# /// snippet
# title.zh = "文件句柄：fork 之前打开，与各自打开"
# title.en = "A file handle: opened before the fork, or by each worker"
# topics = ["T58"]
# devices = ["cpu"]
# processes = 3
# timeout = 60
# ///
import multiprocessing
import os
import pickle
import tempfile
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset

SIZE = 100  # bytes of a record; record 7 is 100 bytes of 7


class Records(Dataset):
    def __init__(self, path, *, early, together=None):
        self.path, self.together = path, together
        self.file = self.opened() if early else None

    def opened(self):
        return self.path.open("rb", buffering=0)

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if self.file is None:  # the first time in this process
            self.file = self.opened()
        self.file.seek(index * SIZE)
        if self.together:
            self.together.wait()  # both workers have moved, neither has read: it may happen any time
        return torch.tensor(list(self.file.read(SIZE)))

    def __getstate__(self):
        return {**self.__dict__, "file": None}  # what goes to a spawned worker


def wrong(dataset):
    order = [0, 4, 1, 5, 2, 6, 3, 7]  # 0 to 3 for one worker, 4 to 7 for the other
    loader = DataLoader(dataset, sampler=order, num_workers=2, multiprocessing_context="fork")
    return sum(batch.tolist() != [[index] * SIZE] for index, batch in zip(order, loader, strict=True))


def main(path):
    path.write_bytes(bytes(number for number in range(8) for _ in range(SIZE)))
    together = multiprocessing.get_context("fork").Barrier(2)

    early = Records(path, early=True, together=together)
    count = wrong(early)
    assert count >= 4  # one of the two in each round
    print("opened before the fork: wrong records, at least half:", count >= 4)
    print("opened by each worker: wrong records:", wrong(Records(path, early=False, together=together)))

    with path.open("rb") as file:
        got = [os.pread(file.fileno(), SIZE, index * SIZE)[0] for index in range(8)]
        print("pread names its place in each call:", got)
        try:
            pickle.dumps(file)
        except TypeError as error:
            print("TypeError:", error)
    early.together = None  # a barrier does not travel either
    print("the dataset travels, its file is", pickle.loads(pickle.dumps(early)).file)
    early.file.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder, "records"))
