# /// snippet
# title.zh = "图：同一段内存的三种读法"
# title.en = "Picture: three ways to read one memory"
# topics = ["T47"]
# devices = ["cpu"]
# timeout = 90
# ///
import matplotlib.pyplot as plt
import torch

a = torch.tensor([[10, 11, 12], [20, 21, 22]])
views = {"a": a, "a.t()": a.t(), "a.view(3, 2)": a.view(3, 2)}
assert len({view.data_ptr() for view in views.values()}) == 1  # one memory
assert not torch.equal(views["a.t()"], views["a.view(3, 2)"])  # one shape, two meanings

figure, axes = plt.subplots(figsize=(6.8, 3.4))
axes.set_axis_off()
axes.set(xlim=(-0.6, 11), ylim=(5.4, -1.1))
colours = ["#3b5bdb", "#c2410c"]  # one for each row of a


def cell(x, y, value):
    axes.add_patch(plt.Rectangle((x - 0.45, y - 0.45), 0.9, 0.9, color=colours[value // 10 - 1]))
    axes.text(x, y, str(value), color="white", ha="center", va="center", fontsize=13)


for place, value in enumerate(a.flatten().tolist()):
    cell(2 + place, 0, value)
axes.text(4.5, -0.7, "storage", ha="center", color="#626973")
for left, (name, view) in zip([0, 4.5, 8.5], views.items(), strict=True):
    for i, row in enumerate(view.tolist()):
        for j, value in enumerate(row):
            cell(left + j, 2.5 + i, value)
    middle = left + (view.shape[1] - 1) / 2
    axes.text(middle, 1.75, f"{name}\nstride {view.stride()}", ha="center", color="#626973")
    print(f"{name:13} stride {view.stride()} {view.tolist()}")
figure.savefig("strides.png", dpi=150, bbox_inches="tight")
