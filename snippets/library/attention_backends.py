# /// snippet
# title.zh = "scaled_dot_product_attention：掩码、后端、分组"
# title.en = "scaled_dot_product_attention: masks, backends, groups"
# topics = ["T68"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.manual_seed(0)
batch, heads, length, width = 2, 4, 16, 8
q, k, v = (torch.randn(batch, heads, length, width) for _ in range(3))
scores = q @ k.transpose(-2, -1) / width**0.5
causal = torch.ones(length, length, dtype=torch.bool).tril()
by_hand = scores.masked_fill(~causal, float("-inf")).softmax(dim=-1) @ v
print(
    "is_causal equals the mask by hand:",
    torch.allclose(F.scaled_dot_product_attention(q, k, v, is_causal=True), by_hand, atol=1e-6),
)
print(
    "a Boolean mask: True means take part:",
    torch.allclose(F.scaled_dot_product_attention(q, k, v, attn_mask=causal), by_hand, atol=1e-6),
)
for backend in [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]:
    with sdpa_kernel(backend):
        same = torch.allclose(F.scaled_dot_product_attention(q, k, v, is_causal=True), by_hand, atol=1e-5)
    print(f"{backend.name}: {same}")

# is_causal aligns the mask at the top left: with a cache, one new query would see only the first key.
new = q[:, :, -1:]
whole = F.scaled_dot_product_attention(new, k, v)
wrong = F.scaled_dot_product_attention(new, k, v, is_causal=True)
print("last query with the cache, no mask:", torch.allclose(whole, by_hand[:, :, -1:], atol=1e-6))
print("the same with is_causal:", torch.allclose(wrong, by_hand[:, :, -1:], atol=1e-6))
assert torch.allclose(wrong, v[:, :, :1])

nothing = torch.zeros(length, length, dtype=torch.bool)
print("a query that may see nothing:", F.scaled_dot_product_attention(q, k, v, attn_mask=nothing)[0, 0, 0, :2].tolist())

shared = torch.randn(batch, 1, length, width)  # one key head for four query heads
grouped = F.scaled_dot_product_attention(q, shared, shared, enable_gqa=True)
repeated = F.scaled_dot_product_attention(q, shared.expand_as(q), shared.expand_as(q))
print("enable_gqa equals repeated heads:", torch.allclose(grouped, repeated, atol=1e-6))
