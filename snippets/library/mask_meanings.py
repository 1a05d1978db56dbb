# /// snippet
# title.zh = "掩码里的 True：两处意思相反"
# title.en = "True in a mask: two opposite meanings"
# topics = ["T07"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
torch.set_printoptions(precision=2, sci_mode=False)
x = torch.randn(1, 4, 8)
earlier = torch.ones(4, 4, dtype=torch.bool).tril()  # True up to the diagonal

attention = nn.MultiheadAttention(8, 1, batch_first=True)
right = attention(x, x, x, attn_mask=~earlier)[1][0]  # True: hidden
wrong = attention(x, x, x, attn_mask=earlier)[1][0]
print("MultiheadAttention, True above the diagonal:", right.detach(), sep="\n")
print("MultiheadAttention, True on and below it:", wrong.detach(), sep="\n")
assert (right > 0).equal(earlier)
assert (wrong[:-1] > 0).equal(~earlier[:-1])
assert wrong[-1].isnan().all()

attend = functional.scaled_dot_product_attention
numbers = nn.Transformer.generate_square_subsequent_mask(4)  # 0 or -inf, added to the scores
by_mask = attend(x, x, x, attn_mask=earlier)  # True: seen
by_flag = attend(x, x, x, is_causal=True)
by_number = attend(x, x, x, attn_mask=numbers)
assert torch.allclose(by_mask, by_flag)
assert torch.allclose(by_number, by_flag)
print("scaled_dot_product_attention, True on and below it: causal")

nothing = attend(x, x, x, attn_mask=torch.zeros_like(earlier))
assert (nothing == 0).all()
print("a row that may see nothing:", nothing[0, 0, :3].tolist())
