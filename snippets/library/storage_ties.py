# /// snippet
# title.zh = "一起存的切片，加载后仍连在一起"
# title.en = "Slices saved together stay tied after loading"
# topics = ["T35"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch


def tied(a, b):
    """Tell whether two tensors read the same storage."""
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


table = torch.arange(8)
head = table[:3]

torch.save({"table": table, "head": head}, "together.pt")
loaded = torch.load("together.pt")
assert tied(loaded["table"], loaded["head"])
loaded["head"] *= 10
assert loaded["table"].tolist() == [0, 10, 20, 3, 4, 5, 6, 7]
print("saved together: head times ten, and the table is", loaded["table"].tolist())
assert table[1].item() == 1  # but what was saved is not touched

torch.save({"table": table, "head": head.clone()}, "cut.pt")
loaded = torch.load("cut.pt")
assert not tied(loaded["table"], loaded["head"])
loaded["head"] *= 10
assert loaded["table"].tolist() == list(range(8))
print("head.clone() saved: ", loaded["table"].tolist())

torch.save(table, "table.pt")
torch.save(head, "head.pt")
assert not tied(torch.load("table.pt"), torch.load("head.pt"))
print("in two files: no tie, for each file has a storage of its own")

# the same holds for tied weights, and there it is what one wants
net = torch.nn.Sequential(torch.nn.Linear(4, 4, bias=False), torch.nn.Linear(4, 4, bias=False))
net[1].weight = net[0].weight
torch.save(net.state_dict(), "net.pt")
state = torch.load("net.pt")
assert tied(state["0.weight"], state["1.weight"])
print("tied weights:", list(state), "in one storage of", state["0.weight"].untyped_storage().nbytes(), "bytes")
