# /// snippet
# title.zh = "图：meshgrid 的 ij 与 xy"
# title.en = "Picture: ij and xy of meshgrid"
# topics = ["T51"]
# devices = ["cpu"]
# timeout = 90
# ///
import matplotlib.pyplot as plt
import torch

x = torch.tensor([1, 2, 3])
y = torch.tensor([40, 50])
figure, axes = plt.subplots(figsize=(6.8, 3.9))
axes.set_axis_off()
axes.set(xlim=(-1.2, 9.2), ylim=(6.7, -1.1))
tones = {1: "#6f86e6", 2: "#3b5bdb", 3: "#22378f", 40: "#cf6a1d", 50: "#9a3412"}


def draw(grid, left, top, name):
    for i, row in enumerate(grid.tolist()):
        for j, value in enumerate(row):
            axes.add_patch(plt.Rectangle((left + j - 0.45, top + i - 0.45), 0.9, 0.9, color=tones[value]))
            axes.text(left + j, top + i, str(value), color="white", ha="center", va="center", fontsize=13)
    axes.text(left + (grid.shape[1] - 1) / 2, top - 0.7, name, ha="center", color="#626973")


for top, indexing in [(0, "ij"), (5, "xy")]:
    grid_x, grid_y = torch.meshgrid(x, y, indexing=indexing)
    axes.text(-0.8, top + (grid_x.shape[0] - 1) / 2, indexing, va="center", ha="right", color="#626973", fontsize=14)
    draw(grid_x, 0.4, top, f"grid_x {tuple(grid_x.shape)}")
    draw(grid_y, 5.4, top, f"grid_y {tuple(grid_y.shape)}")
    constant = "along its row" if (grid_x == grid_x[:, :1]).all() else "along its column"
    print(f"{indexing}: a value of x stays the same {constant}")
figure.savefig("meshgrid.png", dpi=150, bbox_inches="tight")
