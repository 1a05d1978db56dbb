"""A vault whose folder was moved or renamed finds its drafts, versions and past runs again; trust is not among them."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from kb.errors import KbError
from kb.files.atomic import replace_file
from kb.files.paths import UserPaths, make_private
from kb.files.tree import read_own

_NAME = "vault.json"
_NAMES = 50  # of the folder that are compared


def follow_moved(root: Path, places: UserPaths) -> None:
    """Give a vault the data of the folder that it was moved from, and note where it is now. Never raises OSError.

    It is the same folder if device and inode are, the old path is gone, and at least half of its names are there: an
    inode alone may belong to another folder by now.
    """
    own = places.for_vault(root).state.parent
    with contextlib.suppress(OSError, KbError):
        here = _identity(root)
        if not own.exists():
            for folder in sorted(own.parent.iterdir()) if own.parent.exists() else ():
                if _was(folder, here):
                    folder.rename(own)
                    break
        if _read(own) != here:
            make_private(own)
            replace_file(own / _NAME, json.dumps(here, ensure_ascii=False).encode("utf-8", "surrogateescape"))


def _identity(root: Path) -> dict[str, Any]:
    facts = root.stat()
    names = sorted(one.name for one in root.iterdir() if not one.name.startswith("."))[:_NAMES]
    return {"root": str(root.resolve()), "device": facts.st_dev, "inode": facts.st_ino, "names": names}


def _was(folder: Path, here: dict[str, Any]) -> bool:
    there = _read(folder)
    if there is None or (there["device"], there["inode"]) != (here["device"], here["inode"]):
        return False
    known = set(there["names"])
    return not os.path.lexists(there["root"]) and 2 * len(known & set(here["names"])) >= max(1, len(known))


def _read(folder: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(read_own(folder / _NAME).decode("utf-8", "surrogateescape"))
        if not isinstance(found["root"], str) or not isinstance(found["names"], list):
            return None
        return {name: found[name] for name in ("root", "device", "inode", "names")}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
