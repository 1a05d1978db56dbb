# /// snippet
# title.zh = "gather 与 scatter_ 互为镜像"
# title.en = "gather and scatter_ mirror each other"
# topics = ["T13"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
cards = torch.rand(3, 5, device=device)
order = torch.rand(3, 5, device=device).argsort(dim=1)  # a shuffle for each row

dealt = torch.zeros_like(cards).scatter_(1, order, cards)  # dealt[i, order[i, j]] = cards[i, j]
print("gather undoes scatter_:", torch.equal(dealt.gather(1, order), cards))

back = order.argsort(dim=1)  # the inverse shuffle
print("scatter_ is gather with the inverse:", torch.equal(dealt, cards.gather(1, back)))

rows = [cards[i].gather(0, order[i]) for i in range(3)]
print("each row stands alone:", torch.equal(cards.gather(1, order), torch.stack(rows)))

weights = torch.zeros(4, device=device, requires_grad=True)
weights.gather(0, torch.tensor([0, 0, 0, 2], device=device)).sum().backward()
print("the gradient of gather counts its visits:", weights.grad.tolist())
