# /// snippet
# title.zh = "apply 的次序：先子模块，最后自己"
# title.en = "The order of apply: children first, self last"
# topics = ["T17"]
# devices = ["cpu"]
# timeout = 60
# ///
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.head = nn.Linear(4, 2)


net = Net()
names = {module: name or "(net itself)" for name, module in net.named_modules()}

visited = []
returned = net.apply(visited.append)
print("apply:    ", ", ".join(names[module] for module in visited))
print("modules():", ", ".join(names[module] for module in net.modules()))
assert returned is net  # so that net = Net().apply(init) can be written
assert visited[-1] is net
for place, module in enumerate(visited):
    assert all(child in visited[:place] for child in module.children())
assert set(visited) == set(net.modules())  # the same ones, in another order

net.twin = nn.Sequential(net.head)  # one layer under two parents
visited.clear()
net.apply(visited.append)
print("the head, now under two parents:", visited.count(net.head), "visits by apply,", end=" ")
print(list(net.modules()).count(net.head), "by modules()")
assert visited.count(net.head) == 2
