"""How long a long bilingual note takes to become a page: kb.renderer cold and warm, beside python-markdown alone.

The page of kb.renderer has more in it: repaired Markdown, highlighted code, sections, sanitised HTML, and the way out
of a process of its own and back.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable

import markdown

from kb.renderer import Renderer

SECTIONS = 30
COLD_ROUNDS, WARM_ROUNDS = 3, 15
PROSE = """\
## {number}. 第 {number} 节：梯度累积 Gradient accumulation

显存放不下大批量时，可以把一批拆成几小份，**逐份反向传播**，梯度自然累加，凑够份数再走一步优化。损失要除以份数，否则等效学习率会成倍变大。
参见 [[training/freezing|冻结参数]] 与 [PyTorch 文档](https://docs.pytorch.org/docs/stable/amp.html)。

When a large batch does not fit, split it and call `backward()` on each part: gradients *add up* by themselves, and the
optimizer steps once all parts are through. Divide the loss by the number of parts, or the step grows with it.
- `zero_grad()` once per batch, not once per part
- `no_sync()` on all but the last part under DDP，省去中间的通信
  - the last part exchanges what has been gathered

| parts 份数 | batch 批量 | memory 显存 | steps 步数 |
|---:|---:|---:|---:|
| 1 | {number}00 | 100 % | 1 |
| 4 | {number}00 | 31 % | 1 |

```python
import torch

model = torch.nn.Linear({number}, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for part in torch.randn(4 * {number}, {number}).split({number}):
    loss = model(part).square().mean() / 4  # 除以份数
    loss.backward()
optimizer.step()
print(f"step {{optimizer.param_groups[0]['lr']:.3f}}")
```

什么时候不该累积？每一小份已经让设备满载时，它只省显存，不省时间；样本之间要互相比较的损失（例如对比学习）拆开以后，
比较的范围也跟着变小，$\\sum_i L_i / n$ 不再等于整批的损失。

When is it of no use? Where one part keeps the device busy already, it saves memory and no time; and a loss that
compares samples with each other, as contrastive learning does, sees fewer of them once the batch is split.

> [!NOTE]
> 批归一化仍然只看到每一小份。Batch norm still sees one part at a time.

"""


def make_note() -> str:
    """Write the note: each section has prose in both languages, a list, a table, a callout and a fence."""
    return "# 训练笔记 Notes on training\n\n" + "".join(PROSE.format(number=n) for n in range(1, SECTIONS + 1))


def milliseconds(work: Callable[[], object], rounds: int) -> list[float]:
    """Time something, a few times over."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - start))
    return taken


def cold(note: str) -> None:
    """Render with a worker that must be started first."""
    renderer = Renderer()
    try:
        assert not renderer.render(note, path="note.md").plain
    finally:
        renderer.close()


def alone(note: str, *extensions: str) -> str:
    """Convert as a program would that knows python-markdown only."""
    return markdown.markdown(note, extensions=["extra", *extensions])


def main() -> None:
    """Measure and print a line for each way."""
    note = make_note()
    print(f"a note of {len(note.encode()) / 1000:.0f} KB with {note.count('```python')} fences; medians in ms")
    plain = functools.partial(alone, note)
    coloured = functools.partial(alone, note, "codehilite")
    plain(), coloured()  # both import what they need
    renderer = Renderer()
    try:
        ours = functools.partial(renderer.render, note, path="note.md")
        ours()
        rows = {
            "python-markdown": milliseconds(plain, WARM_ROUNDS),
            "  with highlighting": milliseconds(coloured, WARM_ROUNDS),
            "kb.renderer, warm": milliseconds(ours, WARM_ROUNDS),
        }
        assert not ours().plain
    finally:
        renderer.close()
    rows["kb.renderer, cold"] = milliseconds(functools.partial(cold, note), COLD_ROUNDS)
    base = statistics.median(rows["  with highlighting"])
    print(f"{'':20}{'median':>9} {'fastest':>9} {'slowest':>9} {'ratio':>7}")
    for name, taken in rows.items():
        middle = statistics.median(taken)
        print(f"{name:20}{middle:9.0f} {min(taken):9.0f} {max(taken):9.0f} {middle / base:7.2f}   of {len(taken)}")


if __name__ == "__main__":
    main()
