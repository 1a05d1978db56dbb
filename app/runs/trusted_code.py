"""Which code of a trusted vault runs without a question: what was there when it was allowed, and what was typed here.

Code that another program changed, or that was imported, is not trusted for lying in a trusted vault.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, TypeAlias

from app.notebook.vault_snippets import joined, session_blocks
from kb.files.atomic import replace_file
from kb.files.locks import update_held
from kb.files.tree import read_own
from kb.notes.note import Note
from snippets.model.snippet import Snippet

Policy: TypeAlias = Literal["always", "ask", "never"]
POLICIES: tuple[Policy, ...] = ("always", "ask", "never")


class TrustedCode:
    """The code of one vault that may run, and that which was imported, as hashes in the user's data folder."""

    def __init__(self, file: Path | None = None) -> None:
        """Read what was stored; without a file nothing is, and nothing is stored."""
        self._file = file
        self.later: Callable[[Callable[[], None]], object] = lambda write: write()  # runs what writes the file
        self._allowed, self._imported, self.begun = self._read()
        self._seen: dict[str, str] = {}  # code of blocks that were read from disk, by hash

    def decide(self, snippet: Snippet, policy: Policy) -> Policy:
        """Return whether a snippet may run ("always"), waits for an answer ("ask"), or may not run ("never")."""
        code = _hash(snippet.code)
        if code in self._allowed:
            return "always"
        if code in self._imported:
            return "never" if policy == "never" else "ask"
        return policy if self.begun else "always"  # until the code that is there is known

    def allow(self, snippets: Iterable[Snippet]) -> None:
        """Let these snippets run from now on."""
        codes = [snippet.code for snippet in snippets]
        parts = (part for part in self._seen.values() if any(part.rstrip("\n") in code for code in codes))
        self._store(allowed=[*map(_hash, codes), *map(_hash, parts)])

    def begin(self, codes: Iterable[str]) -> None:
        """Let all this code run, which is what the vault has now, but not what was imported."""
        allowed = set(map(_hash, codes)) - self._imported
        self.begun = True
        self._store(allowed=allowed)

    def mark_imported(self, codes: Iterable[str]) -> None:
        """Ask before this code runs, whatever the policy."""
        self._store(imported=map(_hash, codes))

    def allow_imported(self) -> None:
        """Let all imported code run from now on."""
        self._store(allowed=self._imported)

    def see(self, note: Note) -> None:
        """Remember the blocks of a note that was read from disk; they were not typed here."""
        self._seen.update((_hash(fence.code), fence.code) for fence in note.fences if fence.runnable)

    def take_typed(self, note: Note) -> None:
        """Let blocks of a saved note run that were typed here, each with the blocks before it in its session."""
        if self.begun:
            runnable = [session_blocks(note, fence) for fence in note.fences if fence.runnable]
            typed = {_hash(joined(blocks)) for blocks in runnable if all(map(self._is_typed, blocks))}
            typed |= {_hash(blocks[-1]) for blocks in runnable if self._is_typed(blocks[-1])}
            if not typed <= self._allowed:
                self._store(allowed=typed)

    def _is_typed(self, code: str) -> bool:
        return _hash(code) in self._allowed or _hash(code) not in self._seen

    def _store(self, *, allowed: Iterable[str] = (), imported: Iterable[str] = ()) -> None:
        self._allowed = self._allowed | set(allowed)
        self._imported = (self._imported | set(imported)) - self._allowed
        if (file := self._file) is not None:
            self.later(lambda: self._write(file))

    def _write(self, file: Path) -> None:
        """Write what is known, and take over what another window has allowed. Raises SaveFailed."""
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with update_held(file):
            stored, brought, begun = self._read()
            self.begun = self.begun or begun
            self._allowed = self._allowed | stored
            self._imported = (self._imported | brought) - self._allowed
            document = {"begun": self.begun, "allowed": sorted(self._allowed), "imported": sorted(self._imported)}
            replace_file(file, json.dumps(document, indent=0).encode())

    def _read(self) -> tuple[set[str], set[str], bool]:
        try:
            document: Any = json.loads(read_own(self._file)) if self._file is not None else {}
            allowed, imported = (
                {item for item in document[name] if isinstance(item, str)} for name in ("allowed", "imported")
            )
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return set(), set(), False
        return allowed, imported, document.get("begun") is True


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()[:40]
