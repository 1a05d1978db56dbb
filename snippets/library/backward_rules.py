# /// snippet
# title.zh = "backward 的规则：累加、保留图、钩子、二阶"
# title.en = "The rules of backward: sums, kept graphs, hooks, second order"
# topics = ["T66"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
weights = torch.tensor([1.0, 0.0, 10.0])
y.backward(weights, retain_graph=True)  # the gradient of (weights * y).sum()
print("backward with weights:", x.grad.tolist())
x.grad = None
y.sum().backward()
print("of the sum:", x.grad.tolist())
try:
    y.sum().backward()
except RuntimeError as error:
    print("again:", str(error).split(".")[0])
(2 * x).sum().backward()
print("gradients add up:", x.grad.tolist())

hidden = x * 3
hidden.retain_grad()  # only leaves keep their gradient by themselves
seen = []
hidden.register_hook(lambda grad: seen.append(grad.tolist()) or grad.clamp(max=1.0))
x.grad = None
(hidden * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print("hook saw", seen[0], "and let pass", hidden.grad.tolist(), "x gets", x.grad.tolist())

a = torch.tensor(2.0, requires_grad=True)
(first,) = torch.autograd.grad(a**3, a, create_graph=True)
(second,) = torch.autograd.grad(first, a)
print("of a**3 at 2:", first.item(), second.item(), "and a.grad is", a.grad)

trained = torch.tensor(1.0, requires_grad=True)
state = torch.tensor(0.0)
for _ in range(3):
    state = 0.5 * state.detach() + trained  # without detach, the second backward goes into the first graph
    state.backward()
print("carried over steps:", state.item(), "gradient", trained.grad.item())
