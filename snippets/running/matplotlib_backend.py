"""The matplotlib backend of a run: `plt.show()` writes each open figure as figure-1.png, figure-2.png, ...

MPLBACKEND names a copy of this file on the path of every run. It is executed by the interpreter of the snippet, so it
needs only matplotlib.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

FOLDER = "TORCHLEAF_FIGURES"  # the variable with the folder to write to


class FigureManager(FigureManagerBase):
    """Writes files instead of opening a window."""

    def show(self) -> None:
        """Write the figure to the next free name, safely for several processes."""
        folder = Path(os.environ.get(FOLDER, "."))
        number = 1
        while True:
            path = folder / f"figure-{number}.png"
            try:
                with path.open("xb") as file:
                    self.canvas.figure.savefig(file, format="png", bbox_inches="tight")
            except FileExistsError:
                number += 1
            else:
                return

    @classmethod
    def pyplot_show(cls, *_: Any, **__: Any) -> None:
        """Write all open figures and close them, as closing their windows would."""
        from matplotlib import pyplot as plt  # noqa: PLC0415 - pyplot calls this

        for manager in [plt.figure(number).canvas.manager for number in plt.get_fignums()]:
            if manager is not None:
                manager.show()
        plt.close("all")


class FigureCanvas(FigureCanvasAgg):
    """Draws off-screen."""

    manager_class = FigureManager
