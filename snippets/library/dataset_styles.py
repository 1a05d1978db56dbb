# /// snippet
# title.zh = "映射式与可迭代：两个手写循环等于 DataLoader"
# title.en = "Map-style and iterable: two loops by hand equal the DataLoader"
# topics = ["T42"]
# devices = ["cpu"]
# processes = 3
# timeout = 60
# ///
from itertools import islice

import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    SequentialSampler,
    default_collate,
    get_worker_info,
)


class Squares(Dataset):  # map-style: asked by number
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.tensor(index**2)


class Stream(IterableDataset):  # iterable: decides by itself what comes next
    def __iter__(self):
        return (torch.tensor(number**2) for number in range(6))


class SplitStream(Stream):
    def __iter__(self):
        info = get_worker_info()  # None in the main process
        start, step = (info.id, info.num_workers) if info else (0, 1)
        return islice(super().__iter__(), start, None, step)


def map_by_hand(dataset):
    for indices in BatchSampler(SequentialSampler(dataset), batch_size=4, drop_last=False):
        yield default_collate([dataset[index] for index in indices])


def stream_by_hand(dataset):
    source = iter(dataset)
    while samples := list(islice(source, 4)):
        yield default_collate(samples)


def batches(source):
    return [batch.tolist() for batch in source]


def main():
    for name, dataset, loop in [("map-style", Squares(), map_by_hand), ("iterable", Stream(), stream_by_hand)]:
        by_hand, loaded = batches(loop(dataset)), batches(DataLoader(dataset, batch_size=4))
        assert by_hand == loaded
        print(f"{name:9} {loaded}, equal to the loop by hand: {by_hand == loaded}")

    print("with two workers:")
    expected = [number**2 for number in range(6)]
    for dataset, times in [(Squares(), 1), (Stream(), 2), (SplitStream(), 1)]:
        loaded = batches(DataLoader(dataset, batch_size=2, num_workers=2))
        assert sorted(value for batch in loaded for value in batch) == sorted(expected * times)
        print(f"{type(dataset).__name__:11} {loaded}, each sample {times}x")


if __name__ == "__main__":
    main()
