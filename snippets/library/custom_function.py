# /// snippet
# title.zh = "自定义 Function，用 gradcheck 核对"
# title.en = "A Function of your own, checked with gradcheck"
# topics = ["T66"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch
from torch.autograd.gradcheck import GradcheckError


class Clip(torch.autograd.Function):
    """Clamp forward, and let every gradient through: a straight-through estimator."""

    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad):
        return grad, None, None  # one for each argument of forward


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


class Wrong(Cube):
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x**2 * grad


x = torch.tensor([-2.0, 0.5, 2.0], requires_grad=True)
Clip.apply(x, -1.0, 1.0).sum().backward()
print("straight through:", x.grad.tolist())
x.grad = None
x.clamp(-1.0, 1.0).sum().backward()
print("clamp:           ", x.grad.tolist())

points = torch.randn(4, dtype=torch.float64, requires_grad=True, generator=torch.Generator().manual_seed(0))
print("gradcheck, right:", torch.autograd.gradcheck(Cube.apply, (points,)))
try:
    torch.autograd.gradcheck(Wrong.apply, (points,))
except GradcheckError as error:
    print("gradcheck, wrong:", str(error).splitlines()[0])
