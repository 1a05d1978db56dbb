"""炬页 Torchleaf as an installed package: the one name that it has among the packages of a Python."""

from pathlib import Path

__version__ = "0.1.0"

_HERE = Path(__file__).parent
INSTALLED = (_HERE / "main.py").exists()  # a wheel has the program in this folder, a checkout beside it
HOME = _HERE if INSTALLED else _HERE.parent  # the folder of main.py, app, kb and snippets
