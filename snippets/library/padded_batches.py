# /// snippet
# title.zh = "变长序列：补齐、分桶、打包"
# title.en = "Sequences of unequal length: pad, bucket, pack"
# topics = ["T75"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Sampler

generator = torch.Generator().manual_seed(0)
lengths = torch.randint(2, 40, (64,), generator=generator).tolist()
samples = [torch.ones(length, 3) * length for length in lengths]


def collate(batch):
    """Pad to the longest of this batch, and hand the mask along."""
    sizes = torch.tensor([len(one) for one in batch])
    padded = pad_sequence(batch, batch_first=True)
    mask = torch.arange(padded.shape[1]) < sizes[:, None]  # True where there is something
    return padded, mask, sizes


class ByLength(Sampler):
    """Batches of similar lengths, themselves in a random order."""

    def __init__(self, lengths, size):
        order = sorted(range(len(lengths)), key=lengths.__getitem__)
        self.batches = [order[i : i + size] for i in range(0, len(order), size)]

    def __iter__(self):
        for i in torch.randperm(len(self.batches)).tolist():
            yield self.batches[i]

    def __len__(self):
        return len(self.batches)


def waste(loader):
    cells = sum(mask.numel() for _, mask, _ in loader)
    return 1 - sum(lengths) / cells


shuffled = DataLoader(samples, batch_size=8, shuffle=True, generator=generator, collate_fn=collate)
print(f"padding, shuffled: {waste(shuffled):.0%}")
torch.manual_seed(0)
similar = DataLoader(samples, batch_sampler=ByLength(lengths, 8), collate_fn=collate)
print(f"padding, by length: {waste(similar):.0%}")

padded, mask, sizes = collate([torch.ones(2, 1) * 4, torch.ones(4, 1) * 8])
wrong = padded.mean(dim=1).flatten()
right = (padded * mask[..., None]).sum(dim=1).flatten() / sizes
print("mean with the padding:", wrong.tolist(), "without:", right.tolist())
gru = torch.nn.GRU(1, 2, batch_first=True)
_, last = gru(pack_padded_sequence(padded, sizes, batch_first=True, enforce_sorted=False))
_, alone = gru(padded[:1, :2])
print("packed, the short one is as if alone:", torch.allclose(last[:, 0], alone[:, 0], atol=1e-6))
