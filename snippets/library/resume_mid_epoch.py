# /// snippet
# title.zh = "从一轮的中间继续训练"
# title.en = "Resume in the middle of an epoch"
# topics = ["T79"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch.utils.data import DataLoader, Sampler


class Resumable(Sampler):
    """Shuffles by seed and epoch, and can begin in the middle of an epoch."""

    def __init__(self, size, seed=0):
        self.size, self.seed, self.epoch, self.begin = size, seed, 0, 0

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        order = torch.randperm(self.size, generator=generator).tolist()
        yield from order[self.begin :]

    def __len__(self):
        return self.size - self.begin

    def state_dict(self, batches, batch_size):
        """Count what was *trained on*: workers have already fetched more."""
        return {"epoch": self.epoch, "begin": self.begin + batches * batch_size}

    def load_state_dict(self, state):
        self.epoch, self.begin = state["epoch"], state["begin"]


def epoch(sampler, *, stop=None, workers=0):
    """Return the samples of an epoch, and the state after `stop` batches."""
    seen, state = [], None
    for number, batch in enumerate(DataLoader(range(12), batch_size=3, sampler=sampler, num_workers=workers), start=1):
        seen.append(batch.tolist())
        if number == stop:
            return seen, sampler.state_dict(number, 3)
    sampler.begin = 0
    return seen, state


if __name__ == "__main__":
    whole, _ = epoch(Resumable(12))
    print("without a break:", whole)
    first, state = epoch(Resumable(12), stop=2, workers=2)
    print("saved after two batches:", state)
    resumed = Resumable(12)
    resumed.load_state_dict(state)
    rest, _ = epoch(resumed)
    print("resumed:", rest)
    assert first + rest == whole
    repeated, _ = epoch(Resumable(12))
    print("from the start of the epoch again, seen twice:", sum(batch in first for batch in repeated), "batches")
