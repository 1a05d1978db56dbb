"""Measures search beside SQLite's FTS5 and tantivy on the same sections, in one run, and holds it to its targets.

    python tests/benchmarks/search.py                    10,000 and 50,000 sections, made up from a fixed seed
    python tests/benchmarks/search.py --sections 10000   so many
    python tests/benchmarks/search.py --vault DIR        real notes, which are copied first

Times are of this machine; what counts is how the rows compare. Every step runs in a process of its own; indexes are put
out of the system's memory before they are opened. FTS5 and tantivy are given the sections: reading the notes and taking
them apart counts for the program alone.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

OURS = "torchleaf"
RIVALS = ("FTS5 trigram", "FTS5 unicode61", "tantivy")
FRAME = 16.7  # ms, of a screen at 60 Hz
SMALL = 10_000  # sections, at which a key has to be answered within a frame
OPENED, SAVED = 50.0, 100.0  # ms at most
INDEXING, SEARCHING = 400.0, 120.0  # MB at most
HALF = 0.5
_COLUMNS = (
    ("indexed", "s"),
    ("rate", "/s"),
    ("peak", "MB"),
    ("disk", "MB"),
    ("opened", "ms"),
    ("a key", "p50 ms"),
    ("", "p95 ms"),
    ("3 words", "p50 ms"),
    ("", "p95 ms"),
    ("saved", "p50 ms"),
    ("", "worst"),
    ("memory", "MB"),
)
_WIDTHS = (9, 7, 6, 6, 8, 8, 8, 9, 8, 8, 7, 8)


@dataclass
class Measured:
    """What was measured at one size: of each engine, by name."""

    vault: Path
    scratch: Path
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)

    def step(self, name: str, engine: str | None = None) -> dict[str, Any]:
        """Run a step in a process of its own, saying so."""
        print(f"  {name} {engine or ''} ...", file=sys.stderr, flush=True)
        command = [
            sys.executable,
            __file__,
            "--step",
            name,
            str(self.vault),
            str(self.scratch),
            *([engine] if engine else []),
        ]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def measure(self) -> str:
        """Take all steps; return what was measured on."""
        indexed = self.step("index_ours")
        known = self.step("rows")
        searched = self.step("search_ours")
        self.figures[OURS] = {**indexed, **searched, "peak": indexed["memory"], **self.step("save_ours")}
        for name in RIVALS:
            indexed_too = self.step("index_rival", name)
            self.figures[name] = {**indexed_too, **self.step("search_rival", name), "peak": indexed_too["memory"]}
        for one in self.figures.values():
            one["rate"] = known["sections"] / one["seconds"]
        letters = known["characters"] / 1e6
        return f"{known['sections']:,} sections of {indexed['notes']:,} notes, {letters:.1f} million characters"

    def table(self) -> str:
        """Return a line for each engine."""
        head = [f"{'':16}", f"{'':16}"]
        for width, (name, unit) in zip(_WIDTHS, _COLUMNS, strict=True):
            head = [f"{head[0]}{name:>{width}}", f"{head[1]}{unit:>{width}}"]
        return "\n".join((*head, *(_line(name, one) for name, one in self.figures.items())))

    def verdicts(self, sections: int) -> list[tuple[bool, str]]:
        """Return of each target whether it is met, and the figures."""
        ours = self.figures[OURS]
        fts5 = [one for name, one in self.figures.items() if name.startswith("FTS5")]
        key, others = ours["keys"][1], min(one["keys"][1] for one in fts5)
        words, theirs = ours["words"][0], min(one["words"][0] for one in fts5)
        share = ours["rate"] / max(one["rate"] for one in fts5)
        found = [
            (key <= others, f"each key p95 {key:.1f} ms; the faster FTS5 {others:.1f} ms"),
            (words <= HALF * theirs, f"three words p50 {words / theirs:.2f} of the faster FTS5's; at most {HALF}"),
            (ours["opened"] < OPENED, f"opened, and a word answered, in {ours['opened']:.0f} ms; under {OPENED:.0f}"),
            (ours["worst"] < SAVED, f"a saved note found after {ours['worst']:.0f} ms at worst; under {SAVED:.0f}"),
            (share >= HALF, f"indexed at {share:.2f} of the faster FTS5's rate; at least {HALF}"),
            (ours["peak"] < INDEXING, f"indexing took {ours['peak']:.0f} MB at its peak; under {INDEXING:.0f}"),
            (ours["memory"] < SEARCHING, f"searching took {ours['memory']:.0f} MB more; under {SEARCHING:.0f}"),
        ]
        if sections <= SMALL:
            found.insert(1, (key < FRAME, f"each key p95 {key:.1f} ms; under a frame, {FRAME} ms"))
        return found


def _line(name: str, one: dict[str, Any]) -> str:
    figures = (
        (one["seconds"], 2),
        (one["rate"], 0),
        (one["peak"], 0),
        (one["disk"], 0),
        (one["opened"], 1),
        (one["keys"][0], 2),
        (one["keys"][1], 2),
        (one["words"][0], 2),
        (one["words"][1], 2),
        (one["saved"], 1),
        (one["worst"], 1),
        (one["memory"], 0),
    )
    return f"{name:16}" + "".join(f"{a:{w}.{n}f}" for w, (a, n) in zip(_WIDTHS, figures, strict=True))


def measure(source: Path | None, sections: int) -> None:
    """Measure at one size and print it all."""
    with tempfile.TemporaryDirectory(prefix="torchleaf-bench-") as name:
        scratch = Path(name)
        vault = scratch / "vault"
        print(f"{sections:,} sections:" if source is None else f"{source}:", file=sys.stderr)
        if source is None:
            from tests.benchmarks.searching.made_notes import make_notes  # noqa: PLC0415 - not in each step

            vault.mkdir()
            make_notes(vault, sections)
        else:
            shutil.copytree(source, vault)
        measured = Measured(vault, scratch)
        print(f"\n{measured.measure()}")
        print(measured.table())
        for met, said in measured.verdicts(sections):
            print(f"{'PASS ' if met else 'SHORT'} {said}", flush=True)


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", type=int, action="append")
    parser.add_argument("--vault", type=Path)
    parser.add_argument("--step", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        from tests.benchmarks.searching.measure_steps import run  # noqa: PLC0415 - the parent stays small

        run(options.step)
        return
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}")
    for sections in options.sections or ([0] if options.vault else [SMALL, 50_000]):
        measure(options.vault, sections)


if __name__ == "__main__":
    main()
