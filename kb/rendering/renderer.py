"""Renders notes in a process that can be killed, because python-markdown does not end for some notes."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from kb.errors import Cancelled
from kb.rendering.page_cache import read_pages, write_pages
from kb.rendering.plain_page import plain_page
from kb.rendering.rendered_page import Page
from kb.rendering.viewport import Viewport, ViewportPage, ViewportRequest

TIMEOUT = 1.7  # seconds for one note, so that its plain page appears within two
LONGEST = 2_000_000  # characters; a longer note is not rendered at all
MOST_KEPT = 24  # pages that are cached for going back and forward, ...
LONGEST_KEPT = 2_000_000  # ... of notes with so many characters in all
_TRIES = 2  # for a note; the second one leaves out the piece that did not end


class RenderBackend(Protocol):
    """A process that renders: `kb.rendering.render_process`."""

    @property
    def alive(self) -> bool:
        """Whether it accepts requests."""

    def render(
        self, text: str, path: str, timeout: float, plain: frozenset[int] = frozenset(), *, wanted: Callable[[], bool]
    ) -> Page | int:
        """Return the page, or the number of the piece that did not end; then the process has to be replaced.

        Raises Cancelled.
        """

    def render_part(self, text: str, path: str, timeout: float, asked: ViewportRequest) -> ViewportPage | int:
        """Return the page of a part of a note, or a number as `render` does."""

    def kill(self) -> None:
        """Kill it, also in the middle of a note."""

    def end(self) -> None:
        """Kill it and wait until it has ended."""


class Renderer:
    """Owns the worker process, which starts on demand. `render` may be called from any thread."""

    def __init__(self) -> None:
        self._turn = threading.Lock()  # one note at a time
        # One worker at a time, and none after close; never held while a note is rendered.
        self._change = threading.Lock()
        self._worker: RenderBackend | None = None
        self._closed = False
        # The latest pages, with the length of their notes.
        self._kept: OrderedDict[bytes, tuple[Page, int]] = OrderedDict()

    def warm(self) -> None:
        """Start the worker, so that the first note does not wait for it. Return at once."""
        if self._turn.acquire(blocking=False):  # otherwise a worker is busy already
            try:
                self._running()
            finally:
                self._turn.release()

    def recall(self, file: Path) -> bool:
        """Load the pages in a file, for notes that have not changed; return whether there are any."""
        pages = read_pages(file)
        self._kept.update({key: (page, 0) for key, page in pages.items()})
        return bool(pages)

    def store(self, file: Path, notes: Iterable[tuple[str, str]]) -> None:
        """Store the pages of notes (path, text) for the next start. Raises SaveFailed and OSError."""
        keys = [_key(path, text) for path, text in notes]
        with self._change:
            pages = {key: self._kept[key][0] for key in keys if key in self._kept}
        write_pages(file, pages)

    def render(
        self,
        text: str,
        *,
        path: str,
        timeout: float = TIMEOUT,
        late: Callable[[Page], object] | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Page:
        """Render a note; each piece has at most `timeout` seconds.

        A piece that takes longer is shown as written. So is a note that cannot be rendered, and `Page.plain` is set.
        `late` is called with the note as written if rendering takes long. Raises Cancelled when `wanted` returns False.
        """
        if len(text) > LONGEST:
            return plain_page(text)
        with self._turn:
            if not wanted():
                raise Cancelled
            key = _key(path, text)
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
            page = self._rendered(text, path, timeout, late, wanted)
            if page is not None and not page.plain:
                self._keep(key, page, len(text))
        return page or plain_page(text)

    def render_part(self, text: str, *, path: str, asked: ViewportRequest, timeout: float = TIMEOUT) -> ViewportPage:
        """Render the requested part of a note, or all of it if it is short or a piece fails."""
        if len(text) > LONGEST:
            return ViewportPage(plain_page(text), Viewport())
        with self._turn:
            worker = self._running()
            shown = worker.render_part(text, path, timeout, asked) if worker else 0
            if isinstance(shown, ViewportPage):
                return shown
            if worker:
                self._replace()
            return ViewportPage(self._rendered(text, path, timeout) or plain_page(text), Viewport())

    def begin(
        self, beginning: str, *, path: str, timeout: float = TIMEOUT, wanted: Callable[[], bool] = lambda: True
    ) -> Page | None:
        """Render the beginning of a note without caching it; None if it is too long or fails. Raises Cancelled."""
        with self._turn:
            if not wanted():
                raise Cancelled
            return self._rendered(beginning, path, timeout) if len(beginning) <= LONGEST else None

    def knows(self, text: str, *, path: str) -> bool:
        """Return whether the page of a note is available at once."""
        return len(text) > LONGEST or _key(path, text) in self._kept

    def _rendered(
        self,
        text: str,
        path: str,
        timeout: float,
        late: Callable[[Page], object] | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Page | None:
        """Render a note, a second time without the piece that did not end; return None if that fails as well."""
        plain: frozenset[int] = frozenset()
        for _ in range(_TRIES):
            worker = self._running()
            page = worker.render(text, path, timeout, plain, wanted=wanted) if worker else None
            if page is None or not isinstance(page, int):
                return page
            self._replace()
            if not page:  # the first piece did not end, or the worker did not start
                return None
            plain |= {page}
            if late:
                late(plain_page(text))
        return None

    def _keep(self, key: bytes, page: Page, length: int) -> None:
        """Cache a page, and drop the oldest ones beyond the limits."""
        with self._change:
            self._kept[key] = page, length
            while len(self._kept) > MOST_KEPT or sum(length for _, length in self._kept.values()) > LONGEST_KEPT:
                self._kept.popitem(last=False)

    def close(self) -> None:
        """Kill the worker, also in the middle of a note. Later notes are shown as written."""
        with self._change:
            self._closed = True
            if self._worker:
                self._worker.kill()
        with self._turn:
            self._replace()

    def _running(self) -> RenderBackend | None:
        with self._change:
            if self._closed:
                return None
            from kb.rendering.render_process import RenderProcess  # noqa: PLC0415 - see its docstring

            if self._worker and not self._worker.alive:
                self._worker.end()
                self._worker = None
            if not self._worker:
                self._worker = RenderProcess()
            return self._worker

    def _replace(self) -> None:
        """Kill the worker that failed, and start the next one."""
        with self._change:
            if self._worker:
                self._worker.end()
                self._worker = None
        self._running()


def _key(path: str, text: str) -> bytes:
    return hashlib.blake2b(f"{path}\0{text}".encode(errors="surrogatepass"), digest_size=16).digest()
