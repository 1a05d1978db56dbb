# /// snippet
# title.zh = "报错：工作进程遇到 bus error"
# title.en = "Error: a worker meets a bus error"
# topics = ["T55"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import os
import signal

from torch.utils.data import DataLoader, Dataset


class FullMemory(Dataset):
    """Sends itself the signal that the system sends when /dev/shm has no room left."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        os.kill(os.getpid(), signal.SIGBUS)


if __name__ == "__main__":
    why = None
    try:
        next(iter(DataLoader(FullMemory(), num_workers=1, multiprocessing_context="fork")))
    except RuntimeError as error:  # "exited unexpectedly", and below it why
        why = error.__cause__ or error
    raise why
