# /// snippet
# title.zh = "用秒表挑算法：按形状记住，换形状重来"
# title.en = "Choosing by stopwatch: remembered by shape, begun again for a new one"
# topics = ["T40"]
# devices = ["cpu"]
# timeout = 60
# ///
import time

import torch
from torch.nn import functional


def direct(x, weight):
    return functional.conv2d(x, weight)


def by_unfold(x, weight):
    columns = functional.unfold(x, weight.shape[-2:])
    height = x.shape[-2] - weight.shape[-2] + 1
    return (weight.flatten(1) @ columns).unflatten(-1, (height, -1))


def by_fft(x, weight):
    size = x.shape[-2:]
    product = torch.einsum("bchw,ochw->bohw", torch.fft.rfft2(x), torch.fft.rfft2(weight, s=size).conj())
    height, width = (a - b + 1 for a, b in zip(size, weight.shape[-2:], strict=True))
    return torch.fft.irfft2(product, s=size)[..., :height, :width]


ALGORITHMS = [direct, by_unfold, by_fft]


class Chooser:
    """Times every algorithm at the first meeting with a shape, and keeps the fastest."""

    def __init__(self):
        self.best, self.timed = {}, 0

    def __call__(self, x, weight):
        if x.shape not in self.best:  # the numbers in it do not matter, only how many
            self.best[x.shape] = min(ALGORITHMS, key=lambda way: self.time(way, x, weight))
        return self.best[x.shape](x, weight)

    def time(self, way, x, weight):
        self.timed += 1
        start = time.perf_counter()
        way(x, weight)
        return time.perf_counter() - start


torch.manual_seed(0)
weight = torch.randn(4, 3, 5, 5)
for name, widths in {"20 batches of one width": [32] * 20, "20 batches, 20 widths": range(20, 40)}.items():
    choose = Chooser()
    for width in widths:
        x = torch.randn(2, 3, 32, width)
        torch.testing.assert_close(choose(x, weight), direct(x, weight), atol=1e-4, rtol=0)
    print(f"{name}: {choose.timed} timings for {len(widths)} batches")
    assert choose.timed == len(ALGORITHMS) * len(set(widths))

reference = direct(x.double(), weight.double())
for way in ALGORITHMS:
    off = (way(x, weight) - reference).abs().max().item()
    assert 0 < off < 1e-4
print("all three are right to four decimals; bit for bit, by_fft agrees with", end=" ")
same = [way.__name__ for way in [direct, by_unfold] if way(x, weight).equal(by_fft(x, weight))]
print(same or "neither of the others")
