"""Notes that reach out, pictures that are traps, and ids that are: seen from outside, in the whole window."""

from __future__ import annotations

import os
import socket
import struct
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QElapsedTimer, QTimer

from app.export.note_export import export_note
from tests.pace import slowness

REACHING = """# reaching

Words that are read.

![a](http://HOST/md.png) ![b](//HOST/scheme.png) ![c](\\\\\\\\HOST\\share\\unc.png) [![d](http://HOST/in.png)](x.md)

<img src="http://HOST/img.png" srcset="http://HOST/set.png 2x"> <img src='//HOST/bare.png'>
<link rel="stylesheet" href="http://HOST/sheet.css"><style>@import url(http://HOST/import.css);</style>
<p style="background: url(http://HOST/style.png)">styled</p>
<table background="http://HOST/table.png"><tr><td background="http://HOST/cell.png">x</td></tr></table>
<body background="http://HOST/body.png"><video src="http://HOST/v.mp4" poster="http://HOST/poster.png"></video>
<iframe src="http://HOST/frame"></iframe><object data="http://HOST/object"></object><embed src="http://HOST/embed">
<script src="http://HOST/script.js"></script><meta http-equiv="refresh" content="0; url=http://HOST/meta">
<svg><image href="http://HOST/svg.png"/></svg><input type="image" src="http://HOST/input.png">

![drawn](drawn.svg)
"""
DRAWN = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40">'
    '<style>@import url(http://HOST/drawn.css);</style><image xlink:href="http://HOST/drawn.png" width="9" height="9"/>'
    '<rect width="40" height="40"/></svg>'
)
TRAPS = (
    "# traps\n\nBefore.\n\n"
    + "".join(
        f"![{name}]({name})\n\n"
        for name in (
            "pipe.png",
            "zero.png",
            "huge.png",
            "bomb.png",
            "bomb.svg",
            "folder.png",
            "empty.png",
            "gone.png",
        )
    )
    + "After.\n"
)
IDS = """# ids

```python id=one
print("the first is this")
```

```python id=one
print("the second is this")
```

```python id="../../etc/passwd"
print("the third is this")
```

```python id="a' onclick=x <b>#note"
print("the fourth is this")
```

```python
print("the fifth is this")
```

```python id=5
print("the sixth is this")
```
"""


@pytest.fixture
def host() -> Iterator[tuple[str, list[bytes]]]:
    """Give the address of somebody who listens, and what was asked there, on this machine alone."""
    asked: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0.1)
    ended = threading.Event()

    def listen() -> None:
        while not ended.is_set():
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                continue
            with connection:
                asked.append(connection.recv(1000))

    thread = threading.Thread(target=listen)
    thread.start()
    yield f"127.0.0.1:{listening.getsockname()[1]}", asked
    ended.set()
    thread.join()
    listening.close()


def test_nothing_is_asked_for_elsewhere(run: Any, host: tuple[str, list[bytes]], tmp_path: Path) -> None:
    """Read, looked at beside the source, themed, searched and exported: not one connection is made."""
    address, asked = host
    (run.vault / "reaching.md").write_text(REACHING.replace("HOST", address), "utf-8")
    (run.vault / "drawn.svg").write_text(DRAWN.replace("HOST", address), "utf-8")
    run.open("reaching.md")
    assert "Words that are read." in run.page()
    central = run.window.central
    for theme in ("dark", "light"):
        run.window.deferred.view_commands.choose_theme(theme)
        central.reader.view.grab()
    central.edit("reaching.md")
    run.until(lambda: "Words that are read." in central.preview.view.toPlainText())
    central.preview.view.grab()
    note = run.workspace.notes.current.lead
    for suffix in ("html", "pdf", "ipynb", "py"):
        export_note(run.workspace.vault, note, to=suffix, out=tmp_path / f"out.{suffix}")
    run.qtbot.wait(300)
    assert asked == []
    with socket.create_connection((address.partition(":")[0], int(address.partition(":")[2]))) as proof:
        proof.sendall(b"heard")
    run.until(lambda: asked == [b"heard"])


def lay_traps(root: Path) -> None:
    """Write what lies where pictures should: what never ends, what is huge, what is huge once it is unpacked."""
    (root / "traps.md").write_text(TRAPS, "utf-8")
    os.mkfifo(root / "pipe.png")
    (root / "zero.png").symlink_to("/dev/zero")
    with (root / "huge.png").open("wb") as huge:
        huge.truncate(1 << 40)
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 1, 0, 0, 0, 0)
    (root / "bomb.png").write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1_000_000))
        + chunk(b"IEND", b"")
    )
    uses = "".join(f'<g id="g{n}">{f"""<use href="#g{n - 1}"/>""" * 10}</g>' for n in range(1, 12))
    (root / "bomb.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg"><rect id="g0"/>{uses}</svg>', "utf-8")
    (root / "folder.png").mkdir()
    (root / "empty.png").touch()


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a part of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_pictures_that_are_traps_stand_as_words_and_hold_nothing_up(run: Any) -> None:
    """Each has a placeholder, at once; the text around them is read, and the window answers all the while."""
    lay_traps(run.vault)
    longest, since = 0, QElapsedTimer()
    beat = QTimer(interval=5)

    def look() -> None:
        nonlocal longest
        longest = max(longest, since.restart())

    beat.timeout.connect(look)
    run.open("tensors/expand.md")
    since.start()
    beat.start()
    run.open("traps.md")
    run.window.central.reader.view.grab()
    run.qtbot.wait(100)
    beat.stop()
    text = run.page()
    assert "Before." in text
    assert "After." in text
    assert longest < 200 * slowness(), longest


def test_the_code_that_is_meant_runs_whatever_its_id(run: Any) -> None:
    """Two of one id, an id that is a path, one that is HTML, one that is another's number: each runs its own."""
    (run.vault / "ids.md").write_text(IDS, "utf-8")
    run.open("ids.md")
    run.until(lambda: len(run.workspace.notes.shown) == IDS.count("print("))
    page = run.workspace.runs.page_key(run.workspace.notes.current)
    printed: dict[str, str] = {}
    run.workspace.runs.finished.connect(lambda done, outcome: printed.update({done.key.snippet: outcome.stdout}))
    for snippet in run.workspace.notes.shown:
        run.workspace.runs.start(page, [snippet])
        run.until(lambda name=snippet.name: name in printed)
        assert printed[snippet.name].strip() in snippet.code
    numbers = ("first", "second", "third", "fourth", "fifth", "sixth")
    assert sorted(printed.values()) == sorted(f"the {number} is this\n" for number in numbers)
