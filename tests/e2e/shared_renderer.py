"""A process that renders, lent to one window after another: making it takes as long as many a test."""

from __future__ import annotations

from kb.rendering.renderer import RenderBackend, Renderer


class LentRenderer(Renderer):
    """Takes a process that is free, or makes one, and leaves it to the next window."""

    def __init__(self, free: list[RenderBackend]) -> None:
        """Take one out of those that are free."""
        super().__init__()
        self._free = free
        self._worker = free.pop() if free else None

    def close(self) -> None:
        """Give the process back; in the middle of a note it is ended, as the program's own is."""
        if not self._turn.acquire(blocking=False):
            super().close()
            return
        try:
            with self._change:
                self._closed = True
                worker, self._worker = self._worker, None
        finally:
            self._turn.release()
        if worker is not None:
            self._free.append(worker)
