# /// snippet
# title.zh = "报错：名字对上了，形状不同"
# title.en = "Error: the name fits, the shape does not"
# topics = ["T33"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
from torch import nn


def net(classes):
    """Return a body of one layer and a head for so many classes."""
    return nn.Sequential(nn.Linear(4, 3), nn.Linear(3, classes))


ten, two = net(10), net(2)
mine = two.state_dict()
fitting = {name: value for name, value in ten.state_dict().items() if value.shape == mine[name].shape}
print("what fits:", list(fitting))
print("left as it was:", two.load_state_dict(fitting, strict=False).missing_keys)
two.load_state_dict(ten.state_dict(), strict=False)  # strict is about names, not about shapes
