"""How long a long bilingual note takes to become a page and to be shown, beside python-markdown alone.

The page of `renderer` has more in it: repaired Markdown, highlighted code, sections, sanitised HTML, and the way out
of a process of its own and back. Then the reader shows it, with its first screen painted; "again" is a note that was
read a moment ago. At last a hundred notes are opened in a row, and what the window takes of memory before and after.
`--note FILE` takes another note. On a machine that does much else, look at the fastest.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import markdown
import psutil

from kb.rendering.rendered_page import Page
from kb.rendering.renderer import Renderer

SECTIONS = 30
COLD_ROUNDS, WARM_ROUNDS = 3, 15
HUNDRED = 100
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


def large_note() -> str:
    """Write 1 MB of prose."""
    sentence = "Gradients add up until they are set to zero, which is what an optimizer's zero_grad() does. "
    parts = (f"## Section {number}\n\n" + (sentence * 9 + "\n\n") * 8 for number in range(160))
    return ("# A long note\n\n" + "".join(parts))[:1_000_000]


def showing(note: str) -> None:
    """Measure what a person waits for, and what a hundred notes leave behind."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QEvent  # noqa: PLC0415 - the rest needs no window
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    from app.i18n import Translator  # noqa: PLC0415
    from app.reader.notebook_view import NotebookView  # noqa: PLC0415
    from app.reader.page_set import PageSet  # noqa: PLC0415
    from app.style.theme import LIGHT  # noqa: PLC0415

    application = QApplication.instance() or QApplication([])
    view, renderer, opened = NotebookView(Translator("en"), LIGHT), Renderer(), iter(range(1_000_000))
    view.resize(910, 860)
    view.show()

    def show(page: Page) -> None:
        view.show_pages(PageSet(f"note {next(opened)}", {"": page}, "en", {"": "note.md"}))
        view.grab()
        application.processEvents()
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # as a loop does that runs

    def fresh(text: str) -> None:
        show(renderer.render(f"{text}\n\n{next(opened)}\n", path="note.md"))

    try:
        for name, text in (("the note", note), ("1 MB of prose", large_note())):
            fresh(text)
            first = milliseconds(functools.partial(fresh, text), WARM_ROUNDS // 3)
            again = milliseconds(lambda text=text: show(renderer.render(text, path="note.md")), WARM_ROUNDS // 3)  # type: ignore[misc]
            print(
                f"{name} shown: {statistics.median(first):.0f} ms, at best {min(first):.0f}; "
                f"again: {statistics.median(again):.0f} ms, at best {min(again):.0f}"
            )
        own, marks = psutil.Process(), list[int]()
        for number in range(HUNDRED):
            fresh(note)
            if number in {HUNDRED // 4, HUNDRED - 1}:
                marks.append(own.memory_info().rss >> 20)
        print(f"memory after {HUNDRED // 4} notes {marks[0]} MB, after {HUNDRED} {marks[1]} MB")
    finally:
        renderer.close()
        view.deleteLater()


def main() -> None:
    """Measure and print a line for each way."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--note", type=Path, help="a note to take instead of the one that is made")
    chosen = parser.parse_args().note
    note = chosen.read_text(encoding="utf-8") if chosen else make_note()
    print(f"a note of {len(note.encode()) / 1000:.0f} KB with {note.count('```python')} fences; medians in ms")
    plain = functools.partial(alone, note)
    coloured = functools.partial(alone, note, "codehilite")
    plain(), coloured()  # both import what they need
    renderer = Renderer()
    try:
        ours = functools.partial(renderer.render, note, path="note.md")
        ours()
        turns = iter(range(1_000_000))

        def changing() -> None:
            """Render what was not rendered before: pages are kept."""
            renderer.render(f"{note}\n\n{next(turns)}\n", path="note.md")

        rows = {
            "python-markdown": milliseconds(plain, WARM_ROUNDS),
            "  with highlighting": milliseconds(coloured, WARM_ROUNDS),
            "kb.rendering.renderer, warm": milliseconds(changing, WARM_ROUNDS),
        }
        assert not ours().plain
    finally:
        renderer.close()
    rows["kb.rendering.renderer, cold"] = milliseconds(functools.partial(cold, note), COLD_ROUNDS)
    base = statistics.median(rows["  with highlighting"])
    print(f"{'':20}{'median':>9} {'fastest':>9} {'slowest':>9} {'ratio':>7}")
    for name, taken in rows.items():
        middle = statistics.median(taken)
        print(f"{name:20}{middle:9.0f} {min(taken):9.0f} {max(taken):9.0f} {middle / base:7.2f}   of {len(taken)}")
    showing(note)


if __name__ == "__main__":
    main()
