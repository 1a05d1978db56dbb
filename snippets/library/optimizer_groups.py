# /// snippet
# title.zh = "优化器：衰减分组、AdamW、滑动均值"
# title.en = "Optimizers: decay groups, AdamW, moving averages"
# topics = ["T69"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch import nn

net = nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 2))


def groups(model, weight_decay):
    """Decay matrices only: biases and the scales of norms are pulled to zero for no gain."""
    decayed = [p for p in model.parameters() if p.requires_grad and p.ndim >= 2]
    others = [p for p in model.parameters() if p.requires_grad and p.ndim < 2]
    return [{"params": decayed, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]


optimizer = torch.optim.AdamW(groups(net, 0.1), lr=0.01)
for group in optimizer.param_groups:
    print(f"decay {group['weight_decay']}: {len(group['params'])} tensors")

# Adam adds the decay to the gradient, AdamW takes it from the weight.
for make in [torch.optim.Adam, torch.optim.AdamW]:
    weight = nn.Parameter(torch.tensor([10.0]))
    optimizer = make([weight], lr=0.1, weight_decay=0.1)
    for _ in range(10):
        weight.grad = torch.tensor([1000.0])
        optimizer.step()
    print(f"{make.__name__:5} with large gradients: {weight.item():.3f}")

weight = nn.Parameter(torch.zeros(1))
average = torch.optim.swa_utils.AveragedModel(
    nn.ParameterList([weight]), multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)
)
for step in range(1, 6):
    with torch.no_grad():
        weight.fill_(float(step))
    average.update_parameters(nn.ParameterList([weight]))
print(f"weight {weight.item():g}, its moving average {average.module[0].item():.4f}")

results = []
for way in [{"foreach": False}, {"foreach": True}, {"fused": True}]:
    torch.manual_seed(0)
    layer = nn.Linear(3, 3)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=0.01, **way)
    for _ in range(5):
        layer(torch.ones(1, 3)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    results.append(layer.weight.detach().clone())
print("one by one, foreach and fused agree:", all(torch.allclose(r, results[0]) for r in results))
