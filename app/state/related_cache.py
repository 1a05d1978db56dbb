"""What belongs to a note, and how it is kept from one start to the next beside the note's page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kb.rendering.page_cache import maker, seal, unseal
from kb.results import Hit, Mention

_LISTS = ("trail", "matched", "why")


@dataclass(frozen=True)
class Related:
    """What belongs to a note, by the key of its entry."""

    key: str
    like: tuple[Hit, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True)
class CachedRelated:
    """The kin of a note that was read in one of its files: what is like it depends on the language."""

    path: str
    kin: Related


def read_related(file: Path) -> CachedRelated | None:
    """Return what was kept; None where there is nothing, it is damaged, or another version of the program kept it."""
    try:
        document = json.loads(unseal(file.read_bytes()) or b"{}")
        if document.get("made by") != maker():
            return None
        like = tuple(Hit(**{**one, **{name: tuple(one[name]) for name in _LISTS}}) for one in document["like"])
        mentions = tuple(Mention(**one) for one in document["mentions"])
        return CachedRelated(document["path"], Related(document["key"], like, mentions))
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def write_related(file: Path, kept: CachedRelated | None) -> None:
    """Keep it, or nothing. Raises SaveFailed, OSError."""
    from kb.files.atomic import replace_file  # noqa: PLC0415 - the start, which reads, has no use for it
    from kb.files.paths import make_private  # noqa: PLC0415

    if kept is None:
        file.unlink(missing_ok=True)
        return
    document: dict[str, Any] = {**asdict(kept.kin), "path": kept.path, "made by": maker()}
    make_private(file.parent)
    replace_file(file, seal(json.dumps(document).encode()))
