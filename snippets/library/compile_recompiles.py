# /// snippet
# title.zh = "什么会触发重新编译"
# title.en = "What triggers a recompilation"
# topics = ["T62"]
# devices = ["cpu"]
# timeout = 120
# ///
import logging

import torch

logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
compiled = []


def backend(graph, inputs):
    """Stand for a compiler: note for which size it is asked, and run the graph as it is."""
    compiled.append(next(tuple(one.shape) for one in inputs if isinstance(one, torch.Tensor)))
    return graph


def double(x, scale=1.0):
    return x * 2 * scale


def feed(calls, **options):
    """Call a freshly compiled function, and return for which sizes it was compiled."""
    compiled.clear()
    torch.compiler.reset()
    wrapped = torch.compile(double, backend=backend, **options)
    for x, *more in calls:
        assert torch.equal(wrapped(x, *more), double(x, *more))
    return [str(size) for size in compiled]


print("one size, four calls:", *feed([(torch.ones(4),)] * 4))
print("four sizes:", *feed([(torch.ones(n),) for n in [4, 5, 6, 7]]), "- the second with a symbol")
print("another dtype:", *feed([(torch.ones(4),), (torch.ones(4, dtype=torch.float64),)]))
print("four Python floats:", *feed([(torch.ones(4), scale) for scale in [1.0, 2.0, 3.0, 4.0]]))
marked = [torch.ones(n) for n in [4, 5, 6]]
for x in marked:
    torch._dynamo.mark_dynamic(x, 0)
print("marked as dynamic:", *feed([(x,) for x in marked]))
count = len(feed([(torch.ones(n),) for n in range(2, 14)], dynamic=False))
limit = torch._dynamo.config.recompile_limit
print(f"dynamic=False, 12 sizes: compiled {count} times, the limit is {limit}, then not at all")
assert count == limit
