# /// snippet
# title.zh = "图：gather 从哪一格取到哪一格"
# title.en = "Picture: which cell gather takes to which"
# topics = ["T11"]
# devices = ["cpu"]
# timeout = 90
# ///
import matplotlib.pyplot as plt
import torch

table = torch.tensor([[9, 4, 7], [3, 8, 5]])
index = torch.tensor([[2, 0], [1, 1]])
result = table.gather(1, index)

figure, axes = plt.subplots(figsize=(6.4, 2.2))
axes.set_axis_off()
axes.set(xlim=(-0.6, 10), ylim=(1.9, -0.9))
colours = ["#3b5bdb", "#c2410c", "#26803a", "#97620b"]


def cell(x, y, text, colour=None):
    face, ink = (colour, "white") if colour else ("#e7ebfd", "#1c2024")
    axes.add_patch(plt.Rectangle((x - 0.45, y - 0.45), 0.9, 0.9, color=face))
    axes.text(x, y, str(text), color=ink, ha="center", va="center", fontsize=13)


taken = {}
for row, column in [(0, 0), (0, 1), (1, 0), (1, 1)]:
    source = index[row, column].item()
    colour = taken.setdefault((row, source), colours[len(taken)])
    cell(4 + column, row, source, colour)
    cell(8 + column, row, result[row, column].item(), colour)
for row in range(2):
    for column in range(3):
        cell(column, row, table[row, column].item(), taken.get((row, column)))
for x, name in [(1, "input"), (4.5, "index"), (8.5, "gather(1, index)")]:
    axes.text(x, -0.7, name, ha="center", color="#626973")
figure.savefig("gather.png", dpi=150, bbox_inches="tight")
print("taken from (row, column):", sorted(taken))
