"""What ships: every snippet says what it is and is proven, every note's claim has its snippet, in both languages."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.notebook.vault_snippets import fence_snippets
from kb.notes.note import Note, parse
from kb.vault.vault import SHIPPED_NOTES
from snippets.model.catalog import LIBRARY, catalog
from snippets.model.snippet import Snippet, picture_path
from snippets.results.outcome import Outcome
from snippets.running.runner import Runner, RunRequest
from snippets.verification.verify import verify

WARM = sys.platform.startswith("linux")
SNIPPETS = dict(catalog(LIBRARY).snippets)
NOTES = {
    path.relative_to(SHIPPED_NOTES).as_posix(): parse(path.relative_to(SHIPPED_NOTES).as_posix(), path.read_bytes())
    for path in sorted(SHIPPED_NOTES.rglob("*.md"))
}
FENCES = {snippet.name: snippet for note in NOTES.values() for snippet in fence_snippets(note)}
PAIRS = sorted({path.removesuffix(".zh.md").removesuffix(".en.md") for path in NOTES})


def attached(note: Note) -> list[str]:
    """Name the snippets that a note attaches, in order."""
    return [link.target.removeprefix("snippet:") for link in note.links if link.kind == "snippet"]


def folder_of(note: Note) -> str:
    """Return the folder of a note."""
    return note.path.rpartition("/")[0]


@pytest.fixture(scope="module")
def dwelling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Use one home folder for all runs of this file: a warm Python serves only runs with the same one."""
    return tmp_path_factory.mktemp("dwelling")


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory, dwelling: Path) -> Iterator[Runner]:
    """Keep one runner for all the runs of this page, with a Python ready where one can be."""
    with Runner(runs_folder=tmp_path_factory.mktemp("runs")) as made, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(dwelling))
        made.warm_up()
        yield made


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_a_snippet_says_what_it_is(snippet: Snippet) -> None:
    """Both titles, a topic of the notes, an expected output, and few enough lines and columns to be read in a note."""
    assert re.search(r"[\u4e00-\u9fff]", snippet.title["zh"])
    assert snippet.title["en"].isascii()
    assert snippet.topics
    assert all(re.fullmatch(r"T\d\d", topic) for topic in snippet.topics)
    assert any(text.strip() for text in snippet.recorded.values())
    lines = snippet.code.splitlines()
    assert len(lines) <= 90
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_a_record_can_be_wrong(snippet: Snippet) -> None:
    """At most every second line of it leaves the better part to `...`: a record that fits any output proves nothing."""
    for variant, text in snippet.recorded.items():
        lines = [line for line in text.splitlines() if line.strip()]
        open_lines = [
            line for line in lines if "..." in line and len(line.replace("...", "").split(":")[-1].strip()) < 4
        ]
        assert 2 * len(open_lines) <= len(lines), f"{snippet.name} {variant}: {open_lines}"


@pytest.mark.parametrize("snippet", [*SNIPPETS.values(), *FENCES.values()], ids=[*SNIPPETS, *FENCES])
def test_what_is_printed_was_computed(snippet: Snippet) -> None:
    """A snippet prints at least one thing that is no constant of its source, or ends with the error that it shows."""
    if snippet.raises:
        return
    calls = [node for node in ast.walk(ast.parse(snippet.code)) if isinstance(node, ast.Call)]
    printed = [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "print"]
    computed = [node for call in printed for arg in call.args for node in ast.walk(arg) if isinstance(node, ast.Name)]
    elsewhere = not printed and bool(calls)  # a child process prints
    assert computed or elsewhere, f"{snippet.name} prints nothing that was computed"


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_is_shown_in_a_note(name: str, lang: str) -> None:
    """A snippet that no note attaches proves nothing to anybody."""
    assert any(name in attached(note) for note in NOTES.values() if note.lang == lang)


@pytest.mark.parametrize("path", NOTES)
def test_a_note_attaches_what_there_is(path: str) -> None:
    """Each snippet link leads to a snippet, and each python block has its output below it."""
    note = NOTES[path]
    assert set(attached(note)) <= set(SNIPPETS)
    for fence in note.fences:
        assert not fence.runnable or fence.output is not None, f"{path}:{fence.line} has no output"


@pytest.mark.parametrize("path", NOTES)
def test_a_topic_of_a_note_is_proven(path: str) -> None:
    """For each topic in the front matter, a snippet carries it in a note of that folder and language."""
    note = NOTES[path]
    beside = [other for other in NOTES.values() if other.lang == note.lang and folder_of(other) == folder_of(note)]
    assert set(note.meta.covers) <= {t for other in beside for name in attached(other) for t in SNIPPETS[name].topics}


@pytest.mark.parametrize("key", PAIRS)
def test_the_two_languages_keep_step(key: str) -> None:
    """Section by section: the same level, the same snippets, the same blocks of code."""
    shapes = []
    for lang in ("zh", "en"):
        note = NOTES[f"{key}.{lang}.md"]
        assert note.lang == lang
        assert note.meta.problem is None
        levels = [section.level for section in note.sections]
        codes = [(fence.id, fence.code, fence.output) for fence in note.fences]
        shapes.append((levels, attached(note), codes, note.meta.covers))
    assert shapes[0] == shapes[1]


@pytest.mark.torch
@pytest.mark.parametrize("name", [*(() if WARM else SNIPPETS), *(name for name in FENCES if ".en.md" in name)])
def test_what_is_recorded_is_what_it_prints(
    name: str, runner: Runner, dwelling: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the CPU, under the torch that is pinned; the blocks of the Chinese note are those of the English one.

    Where runs can be forked the library is held to its record in test_warm, forked and by turns cold.
    """
    monkeypatch.setenv("HOME", str(dwelling))
    (verdict,) = verify([SNIPPETS.get(name) or FENCES[name]], runner=runner).results
    assert verdict.status in ("passed", "unavailable"), f"{verdict.reason}\n{verdict.diff}"


@pytest.mark.torch
def test_two_machines_train_together(runner: Runner) -> None:
    """The DDP demo, started once for each machine, counts its ranks over both and trains one model."""
    # Below the ports that systems hand out by themselves, and another one in each test process.
    port = 20000 + os.getpid() % 10000
    runs = [
        runner.start(
            RunRequest(
                SNIPPETS["ddp_spawn"],
                args=("--nodes", "2", "--gpus", "1", "--node-rank", str(node), "--port", str(port)),
            ),
            output=lambda _: None,
            finished=lambda _: None,
        )
        for node in range(2)
    ]
    outcomes: list[Outcome] = [run.wait() for run in runs]
    assert [outcome.status for outcome in outcomes] == ["passed", "passed"]
    for rank, outcome in enumerate(outcomes):
        assert f"[rank {rank}] node {rank}, local rank 0, one of 2, on cpu" in outcome.stdout
        assert f"[rank {rank}] weight 3.000 after 10 steps" in outcome.stdout


@pytest.mark.parametrize("name", [name for name, snippet in SNIPPETS.items() if ".savefig(" in snippet.code])
def test_what_draws_has_its_picture_recorded(name: str) -> None:
    """A reader sees it before a run; it is a PNG, and no larger than a page's pictures should be."""
    path = SNIPPETS[name].path
    assert path is not None
    data = picture_path(path).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < 100_000
