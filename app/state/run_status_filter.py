"""The search filters `status:` and `device:`: which runs failed, are stale, were never tried or need a GPU."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.notebook import vault_snippets
from kb.errors import KbError
from kb.vault.vault import Vault
from snippets.model.catalog import Catalog
from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger
from snippets.targets.devices import Device, devices
from snippets.targets.interpreters import Interpreter


@dataclass(frozen=True)
class _Known:
    """Badges from the ledger by run name, and the kinds of devices that each run needs or was made on."""

    badges: Mapping[str, str]
    tried: frozenset[str]
    devices: Mapping[str, frozenset[str]]


class RunStatusFilter:
    """Finds the runs of a vault that match a status or device filter; thread-safe, never raises.

    Reads the ledger at the first call and again after `forget`.
    """

    def __init__(
        self,
        vault: Vault,
        ledger: Callable[[], Ledger],
        interpreter: Callable[[], Interpreter | None] = lambda: None,
        *,
        present: Callable[[], Sequence[Device]] = devices,
    ) -> None:
        """Call `ledger` on first use; a run under another Python than `interpreter` is stale.

        A snippet without a proof that needs none of the `present` devices is unavailable.
        """
        self._vault = vault
        self._ledger = ledger
        self._interpreter = interpreter
        self._present = present
        self._lock = threading.Lock()
        self._known: _Known | None = None
        self._turn = 0  # a result begun before a `forget` is not cached

    def __call__(self, name: str, value: str) -> frozenset[str]:
        """Return the names of runs with this status ("tried" for any), or for this kind of device."""
        with self._lock:
            turn = self._turn
            known = self._known or self._look()
            self._known = known if turn == self._turn else None
        if name == "device":
            return frozenset(run for run, kinds in known.devices.items() if value in kinds)
        return known.tried if value == "tried" else frozenset(run for run, one in known.badges.items() if one == value)

    def forget(self) -> None:
        """Drop the cache, because something ran or notes changed."""
        self._turn += 1
        self._known = None

    def _look(self) -> _Known:
        ledger, library = self._ledger(), vault_snippets.library(self._vault)
        asked = {**library.snippets, **{snippet.name: snippet for snippet in self._run_before(ledger, library)}}
        found = ledger.standings(asked.values(), self._interpreter(), present=self._present())
        kinds = {name: _meant_for(snippet) for name, snippet in asked.items()}
        for name, one in found.items():
            if one.last is not None:
                kinds[name] |= {one.last.device.partition(":")[0]}
        tried = frozenset(name for name, one in found.items() if one.last is not None)
        return _Known({name: one.badge for name, one in found.items()}, tried, kinds)

    def _run_before(self, ledger: Ledger, library: Catalog) -> Iterator[Snippet]:
        """Yield the snippets in the ledger that the vault still has."""
        blocks: dict[str, Mapping[str, Snippet]] = {}
        for name in ledger.names():
            path, block, _ = name.rpartition("#")
            if block and path not in blocks:
                blocks[path] = self._blocks(path)
            found = blocks[path].get(name) if block else library.snippets.get(name)
            if found is not None:
                yield found

    def _blocks(self, path: str) -> Mapping[str, Snippet]:
        try:
            return {snippet.name: snippet for snippet in vault_snippets.fence_snippets(self._vault.read(path))}
        except (KbError, OSError):  # the note is gone
            return {}


def _meant_for(snippet: Snippet) -> frozenset[str]:
    return frozenset({*snippet.devices, *(("cuda",) if snippet.needs_gpus else ())} - {"any"})
