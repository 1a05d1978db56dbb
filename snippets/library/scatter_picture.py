# /// snippet
# title.zh = "图：scatter_ 把哪个值写到哪一格"
# title.en = "Picture: which value scatter_ writes where"
# topics = ["T12"]
# devices = ["cpu"]
# timeout = 90
# ///
import matplotlib.pyplot as plt
import torch

values = torch.tensor([[11, 12], [21, 22]])
index = torch.tensor([[3, 0], [1, 2]])
result = torch.zeros(2, 4, dtype=torch.long).scatter_(1, index, values)

figure, axes = plt.subplots(figsize=(6.8, 2.2))
axes.set_axis_off()
axes.set(xlim=(-0.6, 11), ylim=(1.9, -0.9))
colours = ["#3b5bdb", "#c2410c", "#26803a", "#97620b"]


def cell(x, y, text, colour=None):
    face, ink = (colour, "white") if colour else ("#e7ebfd", "#1c2024")
    axes.add_patch(plt.Rectangle((x - 0.45, y - 0.45), 0.9, 0.9, color=face))
    axes.text(x, y, str(text), color=ink, ha="center", va="center", fontsize=13)


written = {}
for number, (row, column) in enumerate((r, c) for r in range(2) for c in range(2)):
    target = index[row, column].item()
    cell(column, row, values[row, column].item(), colours[number])
    cell(3 + column, row, target, colours[number])
    written[row, target] = colours[number]
for row in range(2):
    for column in range(4):
        cell(7 + column, row, result[row, column].item(), written.get((row, column)))
for x, name in [(0.5, "src"), (3.5, "index"), (8.5, "zeros.scatter_(1, index, src)")]:
    axes.text(x, -0.7, name, ha="center", color="#626973")
figure.savefig("scatter.png", dpi=150, bbox_inches="tight")
print("written to (row, column):", sorted(written))
