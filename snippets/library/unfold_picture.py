# /// snippet
# title.zh = "图：unfold 的每个窗口变成一列"
# title.en = "Picture: each window of unfold becomes a column"
# topics = ["T52"]
# devices = ["cpu"]
# timeout = 90
# ///
import matplotlib.pyplot as plt
import torch
from torch.nn import functional

image = torch.arange(12.0).view(1, 1, 3, 4)
columns = functional.unfold(image, kernel_size=2)[0].int()
colours = ["#3b5bdb", "#c2410c", "#26803a", "#97620b", "#7c3aed", "#0e7490"]

figure, axes = plt.subplots(figsize=(6.8, 3.6))
axes.set_axis_off()
axes.set(xlim=(-1, 14), ylim=(5.1, -1.2))


def cell(x, y, text, colour=None):
    face, ink = (colour, "white") if colour else ("#e7ebfd", "#1c2024")
    axes.add_patch(plt.Rectangle((x - 0.45, y - 0.45), 0.9, 0.9, color=face))
    axes.text(x, y, text, color=ink, ha="center", va="center", fontsize=11)


for where in range(6):
    top, left = divmod(where, 3)
    for row in range(3):
        for column in range(4):  # a small picture of the image, with this window in colour
            inside = top <= row < top + 2 and left <= column < left + 2
            x, y = 0.55 * column + 2.6 * left, 0.55 * row + 2.6 * top + 0.6
            face = colours[where] if inside else "#d5dbe3"
            axes.add_patch(plt.Rectangle((x - 0.24, y - 0.24), 0.48, 0.48, color=face))
            number = str(int(image[0, 0, row, column]))
            axes.text(x, y, number, ha="center", va="center", fontsize=7, color="white" if inside else "#1c2024")
    for row in range(4):
        cell(8.5 + where, 0.9 + row, str(columns[row, where].item()), colours[where])
    print(f"window {where} at row {top}, column {left}: {columns[:, where].tolist()}")
axes.text(3.4, -0.6, "image (1, 1, 3, 4), windows of 2 x 2", ha="center", color="#626973")
axes.text(11, -0.6, f"unfold {(1, *columns.shape)}", ha="center", color="#626973")
figure.savefig("unfold.png", dpi=150, bbox_inches="tight")
