# /// snippet
# title.zh = "一个小编码器：两种掩码，处处打印形状"
# title.en = "A tiny encoder with two masks, and the shapes on the way"
# topics = ["T07"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
PAD = 0
tokens = torch.tensor([[5, 2, 7, 3, 9], [4, 8, 6, PAD, PAD]], device=device)


class Encoder(nn.Module):
    """Embeddings, positions and two encoder layers: what is not included comes first."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(10, 8, padding_idx=PAD)
        self.positions = nn.Parameter(torch.randn(16, 8))
        sizes = {"d_model": 8, "nhead": 2, "dim_feedforward": 32, "dropout": 0.0}
        layer = nn.TransformerEncoderLayer(**sizes, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)

    def forward(self, tokens):
        length = tokens.shape[1]
        # True: may not be seen.
        later = torch.ones(length, length, dtype=torch.bool, device=tokens.device).triu(1)
        embedded = self.words(tokens) + self.positions[:length]
        out = self.layers(embedded, mask=later, src_key_padding_mask=tokens == PAD)
        return later, embedded, out


model = Encoder().to(device)
later, embedded, out = model(tokens)
names = ["tokens", "mask", "padding mask", "embedded", "out"]
for name, tensor in zip(names, [tokens, later, tokens == PAD, embedded, out], strict=True):
    print(f"{name:12} {tuple(tensor.shape)!s:10} {str(tensor.dtype).removeprefix('torch.')}")
for name, parameter in model.layers.layers[0].self_attn.named_parameters():
    print(f"  {name:15} {tuple(parameter.shape)}")


changed = tokens.clone()
changed[0, 3] = 1
again = model(changed)[2]
same = [torch.allclose(again[0, place], out[0, place], atol=1e-5) for place in range(5)]
assert same == [True, True, True, False, False]  # the future has no say
print("another word at place 3, outputs that stay:", [i for i in range(5) if same[i]])

short = model(tokens[1:, :3])[2]
assert torch.allclose(short, out[1:, :3], atol=1e-5)  # nor has the padding
print("the second sample without its padding: the same three outputs")
