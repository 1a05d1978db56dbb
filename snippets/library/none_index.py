# /// snippet
# title.zh = "下标里的 None：在这里加一维"
# title.en = "None in an index: a new dimension here"
# topics = ["T48"]
# devices = ["cpu"]
# timeout = 60
# ///
import warnings

import torch

a = torch.arange(12).view(3, 4)
for name, found, same in [
    ("a[None]", a[None], a.unsqueeze(0)),
    ("a[:, None]", a[:, None], a.unsqueeze(1)),
    ("a[:, :, None]", a[:, :, None], a.unsqueeze(2)),
    ("a[..., None]", a[..., None], a.unsqueeze(-1)),
    ("a[None, :, None]", a[None, :, None], a.unsqueeze(0).unsqueeze(2)),
    ("a[1, None]", a[1, None], a[1].unsqueeze(0)),
]:
    assert found.shape == same.shape
    assert torch.equal(found, same)
    assert found.untyped_storage().data_ptr() == a.untyped_storage().data_ptr()  # a view
    print(f"{name:17} {tuple(found.shape)}")
assert torch.newaxis is None  # another name for it

# what it is for: to line up shapes for broadcasting
points = torch.tensor([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
gaps = points[:, None] - points[None]  # (3, 1, 2) and (1, 3, 2) make (3, 3, 2)
distances = gaps.square().sum(dim=-1).sqrt()
assert torch.allclose(distances, torch.cdist(points, points))
print("gaps", tuple(gaps.shape), "-> distances", distances.tolist())

# the trap: a column minus a row is a table, without a word
target = torch.tensor([1.0, 2.0, 3.0])
perfect = target[:, None]
wrong = (perfect - target).square().mean()
right = (perfect[:, 0] - target).square().mean()
assert right.item() == 0 < wrong.item()
print(f"a perfect guess of shape (3, 1): error {wrong:.3f}, should be {right:.3f}")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.nn.functional.mse_loss(perfect, target)
assert "different to the input size" in str(caught[0].message)
print("mse_loss at least says so:", str(caught[0].message).partition(". ")[0])
