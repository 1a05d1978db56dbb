# /// snippet
# title.zh = "报错：打开的文件送不进工作进程"
# title.en = "Error: an open file cannot go to a worker"
# topics = ["T58"]
# devices = ["cpu"]
# timeout = 60
# raises = "TypeError"
# ///
from pathlib import Path

from torch.utils.data import DataLoader, Dataset


class Opened(Dataset):
    """Opens its file at once or when the first sample is fetched; an h5py.File would do for it."""

    def __init__(self, path, *, at_once):
        self.path, self.file = path, path.open("rb") if at_once else None

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if self.file is None:
            self.file = self.path.open("rb")
        self.file.seek(index)
        return self.file.read(1)[0]


if __name__ == "__main__":
    path = Path("data.bin")
    path.write_bytes(bytes([10, 20, 30, 40]))
    for at_once in [False, True]:
        dataset = Opened(path, at_once=at_once)
        loader = DataLoader(dataset, num_workers=1, batch_size=4, multiprocessing_context="spawn")
        print("opened by the worker:", next(iter(loader)).tolist())
