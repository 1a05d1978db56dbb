"""What a link means."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.notes.link_resolver import LinkResolver, joined
from kb.notes.note_listing import MetadataCache

FILES = {
    "tensors/gather.zh.md": "# 按行取值",
    "tensors/gather.en.md": "---\ntitle: Take by row\naliases: [pick]\n---\n",
    "tensors/index.zh.md": "# 张量",
    "tensors/deep/gather.md": "# Other gather",
    "saving/checkpoint.en.md": "# Checkpoint",
    "saving/a b.md": "# Spaced",
    "cafe\u0301.md": "# Coffee",
    "root.md": "# Root",
}


@pytest.fixture
def targets(root: Path) -> LinkResolver:
    """The notes above."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return LinkResolver(MetadataCache(root).entries(FILES))


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ("tensors/index.zh.md", "gather.en.md", "tensors/gather.en.md"),
        ("tensors/index.zh.md", "gather.md", "tensors/gather.zh.md"),
        ("tensors/index.zh.md", "gather", "tensors/gather.zh.md"),
        ("tensors/index.en.md", "gather#rows", "tensors/gather.en.md"),
        ("tensors/index.zh.md", "gather.en", "tensors/gather.en.md"),
        ("root.md", "gather", "tensors/gather.en.md"),
        ("tensors/deep/gather.md", "gather", "tensors/deep/gather.md"),
        ("tensors/deep/gather.md", "../gather", "tensors/gather.en.md"),
        ("saving/checkpoint.en.md", "deep/gather", "tensors/deep/gather.md"),
        ("saving/checkpoint.en.md", "/tensors/gather.zh.md", "tensors/gather.zh.md"),
        ("saving/checkpoint.en.md", "tensors/gather", "tensors/gather.en.md"),
        ("saving/checkpoint.en.md", "../tensors", "tensors/index.zh.md"),
        ("saving/checkpoint.en.md", "TAKE by  Row", "tensors/gather.en.md"),
        ("saving/checkpoint.zh.md", "pick", "tensors/gather.zh.md"),
        ("saving/checkpoint.zh.md", "按行取值", "tensors/gather.zh.md"),
        ("tensors/gather.zh.md", "checkpoint", "saving/checkpoint.en.md"),
        ("saving/checkpoint.en.md", "a%20b.md", "saving/a b.md"),
        ("root.md", "caf\u00e9", "cafe\u0301.md"),
        ("root.md", "caf\u00e9.md", "cafe\u0301.md"),
        ("root.md", "#anchor", "root.md"),
        ("", "#anchor", None),
        ("root.md", "nothing", None),
        ("root.md", "other/gather", None),
        ("root.md", "../root.md", None),
        ("tensors/gather.zh.md", "../../etc/passwd", None),
        ("root.md", "https://x.y/gather", None),
        ("root.md", "a\0b", None),
    ],
)
def test_links_find_their_note(targets: LinkResolver, source: str, target: str, found: str | None) -> None:
    """By path, key, name, title or alias; the nearest first, in the language of the note that links."""
    assert targets.resolve(source, target) == found


def test_the_owner_of_a_file(targets: LinkResolver) -> None:
    """By its path in any normal form."""
    for path in ("tensors/gather.zh.md", "caf\u00e9.md"):
        assert targets.owner(path) is not None
    assert targets.owner("gone.md") is None


@pytest.mark.parametrize(
    ("source", "target", "paths"),
    [
        ("a/b.md", "c.png", ("a/c.png", "c.png")),
        ("a/b.md", "/c.png", ("c.png",)),
        ("a/b.md", "../c%20d.png#x", ("c%20d.png", "c d.png")),
        ("b.md", "%2e%2e/c.png", ("%2e%2e/c.png",)),
        ("b.md", "..", ()),
        ("b.md", "", ()),
        ("b.md", "c:/d", ()),
        ("b.md", "//host/d", ()),
        ("b.md", "..\\d", ()),
        ("b.md", "a%00b", ("a%00b",)),
    ],
)
def test_paths_that_a_link_may_mean(source: str, target: str, paths: tuple[str, ...]) -> None:
    """Beside the note, then from the root; none that leaves the vault, encoded or not."""
    assert joined(source, target) == paths
