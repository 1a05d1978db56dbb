"""What tests of Chinese that is typed otherwise share: a vault, its index, and what knows its vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb.index import segments
from kb.index.index_update import update_index
from kb.index.snapshot import Snapshot
from kb.search.bigram_counts import BigramCounts
from kb.search.char_index import CharIndex
from kb.vault.vault import Vault

NOTES = {
    "amp.md": "---\ntags: [自动转换]\naliases: [半精度]\n---\n"
    "# 混合精度训练\n\n混合精度把梯度放大，以免下溢。精度够用。\n",
    "freeze.md": "# 冻结参数\n\n冻结的参数没有梯度。梯度爆炸时裁剪。\n\n## 显存占用\n\n训练时显存不够，就减小批量。\n",
    "ddp.md": "# 單機多卡\n\n"
    "每張顯卡一個進程。策略有三种，女性绿色，我们用。\n\n## 分布式训练\n\n先初始化进程组，再训练。\n",
    "en.md": "# Women and gates\n\n"
    "women in data science; a wo-, a gate, the tensors.\n\n## 我们\n\n我们和我们的训练。\n",
}


@contextmanager
def snapshot_of(folder: Path, notes: dict[str, str]) -> Iterator[Snapshot]:
    """Open the index of some notes."""
    root = folder / "vault"
    root.mkdir()
    for path, text in notes.items():
        (root / path).write_text(text, encoding="utf-8")
    update_index(Vault.open(root), folder / "index")
    snapshot = Snapshot(segments.open_leaves(folder / "index"))
    try:
        yield snapshot
    finally:
        snapshot.close()


def voices_of(snapshot: Snapshot) -> tuple[BigramCounts, CharIndex]:
    """What knows the pairs of a snapshot, and how its characters sound and look."""
    pairs = BigramCounts(snapshot)
    return pairs, CharIndex(pairs)
