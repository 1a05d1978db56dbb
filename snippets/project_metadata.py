"""The facts in pyproject.toml about this program: the Pythons it runs on, and its requirements."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

_FROM, _BELOW = re.compile(r">=3\.(\d+)"), re.compile(r"<3\.(\d+)")
_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Project:
    """The facts; empty if the program is neither installed nor run from its checkout."""

    requires_python: str = ""
    requirements: tuple[str, ...] = ()  # its own and those of its extras

    @property
    def pythons(self) -> tuple[int, int]:
        """The first and the last supported minor version of Python 3."""
        first, below = _FROM.search(self.requires_python), _BELOW.search(self.requires_python)
        return int(first[1]) if first else 0, int(below[1]) - 1 if below else 99

    def requirement(self, package: str) -> str:
        """Return the requirement of a package for pip (torch==2.13.0), or its bare name if there is none."""
        names = ((found[0], one) for one in self.requirements if (found := _NAME.match(one)))
        return next((one for name, one in names if name.lower() == package.lower()), package)


@functools.cache
def project(checkout: Path = Path(__file__).parents[1]) -> Project:
    """Read pyproject.toml in a checkout, else the metadata of the installed program."""
    try:
        facts = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        listed = (facts["dependencies"], *facts["optional-dependencies"].values())
        return Project(facts["requires-python"], tuple(one for some in listed for one in some))
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        return _installed()


def _installed() -> Project:
    try:
        found = metadata.distribution("torchleaf")
    except metadata.PackageNotFoundError:
        return Project()
    listed = tuple(one.partition(";")[0].strip() for one in found.requires or ())
    return Project(found.metadata["Requires-Python"] or "", listed)
