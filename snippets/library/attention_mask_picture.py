# /// snippet
# title.zh = "图：两种掩码各挡住什么"
# title.en = "Picture: what the two masks hide"
# topics = ["T07"]
# devices = ["cpu"]
# timeout = 90
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn

torch.manual_seed(0)
LENGTH = 6
attention = nn.MultiheadAttention(8, 1, batch_first=True)
x = torch.randn(1, LENGTH, 8)
later = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
padding = torch.tensor([[False] * 4 + [True] * 2])  # the last two words are padding
cases = {
    "no mask": {},
    "attn_mask": {"attn_mask": later},
    "key_padding_mask": {"key_padding_mask": padding},
    "both": {"attn_mask": later, "key_padding_mask": padding},
}

figure, panels = plt.subplots(1, 4, figsize=(8, 2.5))
for axes, (name, masks) in zip(panels, cases.items(), strict=True):
    weights = attention(x, x, x, **masks)[1][0].detach()
    assert torch.allclose(weights.sum(dim=1), torch.ones(LENGTH))
    axes.imshow(weights.where(weights > 0, torch.nan), cmap="Blues", vmin=-0.4, vmax=1)
    axes.set_facecolor("#e9ebee")  # grey: hidden
    axes.set_title(name, fontsize=10, color="#1c2024")
    axes.set(xticks=range(LENGTH), yticks=range(LENGTH))
    axes.tick_params(length=0, labelsize=8)
    axes.set_xlabel("key", fontsize=8)
    print(f"{name:16} sees {int((weights > 0).sum()):2} of {weights.numel()} pairs")
panels[0].set_ylabel("query", fontsize=8)
figure.tight_layout()
figure.savefig("masks.png", dpi=150, bbox_inches="tight")
