# /// snippet
# title.zh = "LoRA：冻结权重，只训练两个窄矩阵"
# title.en = "LoRA: a frozen weight and two narrow matrices"
# topics = ["T76"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn
from torch.nn.utils import parametrize


class LowRank(nn.Module):
    """Adds a product of two narrow matrices to a weight that stays as it is."""

    def __init__(self, weight, rank, alpha):
        super().__init__()
        self.a = nn.Parameter(torch.randn(rank, weight.shape[1]) / weight.shape[1] ** 0.5)
        self.b = nn.Parameter(torch.zeros(weight.shape[0], rank))  # zero: at first nothing changes
        self.scale = alpha / rank

    def forward(self, weight):
        return weight + self.scale * self.b @ self.a


def adapt(model, rank=4, alpha=8):
    model.requires_grad_(False)
    for module in list(model.modules()):
        if isinstance(module, nn.Linear):
            parametrize.register_parametrization(module, "weight", LowRank(module.weight, rank, alpha))
    return [p for p in model.parameters() if p.requires_grad]


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64))
x, y = torch.randn(256, 64), torch.randn(256, 64)
before = model(x).detach()
total = sum(p.numel() for p in model.parameters())
trained = adapt(model)
count = sum(p.numel() for p in trained)
print(f"trained: {count} of {total} parameters, {count / total:.1%}")
print("at first nothing has changed:", torch.equal(model(x), before))

frozen = model[0].parametrizations.weight.original.clone()
optimizer = torch.optim.AdamW(trained, lr=0.01)
losses = []
for _ in range(50):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print("the loss has fallen:", losses[-1] < losses[0])
assert torch.equal(model[0].parametrizations.weight.original, frozen)

adapter = {name: p for name, p in model.state_dict().items() if name.endswith((".a", ".b"))}
print("in the file of the adapter:", len(adapter), "tensors,", sum(p.numel() for p in adapter.values()), "numbers")
after = model(x).detach()
for layer in (model[0], model[2]):
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)  # merged into the weight
print("merged, the same output:", torch.allclose(model(x), after, atol=1e-6), "names:", list(model.state_dict())[:2])
