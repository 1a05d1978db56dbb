"""The matplotlib backend of a run: `plt.show()` writes each open figure as figure-1.png, figure-2.png, ...

A copy of this file lies on the path of every run and is named by MPLBACKEND. It runs under the snippet's interpreter,
so it needs nothing but matplotlib.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

FOLDER = "TORCHLEAF_FIGURES"  # the variable that says where to


class FigureManager(FigureManagerBase):
    """Stands where a window would."""

    def show(self) -> None:
        """Write the figure to the next free name; two processes never take the same."""
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
        from matplotlib import pyplot as plt  # noqa: PLC0415 - it is pyplot that asks

        for manager in [plt.figure(number).canvas.manager for number in plt.get_fignums()]:
            if manager is not None:
                manager.show()
        plt.close("all")


class FigureCanvas(FigureCanvasAgg):
    """Draws off the screen."""

    manager_class = FigureManager
