# /// snippet
# title.zh = "小切片，大文件：存的是整块存储"
# title.en = "A small slice, a large file: the whole storage is saved"
# topics = ["T35"]
# devices = ["cpu"]
# timeout = 60
# ///
from pathlib import Path

import torch


def size(thing):
    """Save it and tell the size of the file."""
    torch.save(thing, "thing.pt")
    return Path("thing.pt").stat().st_size


big = torch.zeros(100_000)  # 400,000 bytes
head = big[:5]  # 20 of them are used
shown_once = torch.zeros(1).expand(100_000)

print(f"the tensor      {size(big):7,}")
print(f"head            {size(head):7,}")
print(f"head.clone()    {size(head.clone()):7,}")
print(f"both            {size([big, head]):7,}")
print(f"an expanded one {size(shown_once):7,}")
print(f"its contiguous  {size(shown_once.contiguous()):7,}")
assert size(head) > 400_000
assert size(head.clone()) < 3000
assert size([big, head]) < 401_000 + 3000  # the storage is written once
assert size(shown_once) < 3000
assert size(shown_once.contiguous()) > 400_000

# and the whole of it comes back into memory
torch.save(head, "head.pt")
loaded = torch.load("head.pt")
print("loaded:", loaded.numel(), "numbers in a storage of", loaded.untyped_storage().nbytes(), "bytes")
assert loaded.untyped_storage().nbytes() == 400_000
hidden = torch.as_strided(loaded, (100_000,), (1,), 0)  # also what you did not mean to give away
assert hidden.shape == big.shape


def trimmed(state):
    """Clone what uses only a part of its storage."""
    return {
        name: value.clone() if value.untyped_storage().nbytes() > value.nbytes else value
        for name, value in state.items()
    }


assert size(trimmed({"head": head})) < 3000
print("after trimming:", list(trimmed({"head": head})))
