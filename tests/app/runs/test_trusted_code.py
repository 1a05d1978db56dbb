"""Which code of a trusted vault runs: what was there, and what was typed here; not what came from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.notebook.vault_snippets import code_of, fence_snippets
from app.runs.trusted_code import TrustedCode
from kb.notes.note import Note, parse
from snippets.model.snippet import Snippet

OLD = "```python id=a session=s\nx = 1\n```\n\n```python id=b session=s\nprint(x)\n```\n"


def note(text: str) -> Note:
    """Return a note as it is read from disk."""
    return parse("n.md", text.encode())


def snippets(text: str) -> tuple[Snippet, ...]:
    """Return the blocks of a note as snippets."""
    return tuple(fence_snippets(note(text)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "code.json"


@pytest.fixture
def code(file: Path) -> TrustedCode:
    """The code of a vault that was allowed with the old text in it."""
    made = TrustedCode(file)
    made.begin(code_of(note(OLD)))
    made.see(note(OLD))
    return made


def test_before_anything_is_known_code_runs() -> None:
    """Where it is to be asked about from now on, until the code that is there has been read."""
    code = TrustedCode()
    assert [code.decide(one, "ask") for one in snippets(OLD)] == ["always", "always"]
    code.begin([])
    assert [code.decide(one, "ask") for one in snippets(OLD)] == ["ask", "ask"]


def test_what_was_there_runs_and_what_is_new_is_as_the_owner_set(code: TrustedCode, file: Path) -> None:
    """Also at the next start."""
    changed = OLD.replace("print(x)", "print(x, 'changed')")
    for known in (code, TrustedCode(file)):
        assert [known.decide(one, "ask") for one in snippets(OLD)] == ["always", "always"]
        for policy in ("always", "ask", "never"):
            assert [known.decide(one, policy) for one in snippets(changed)] == ["always", policy]


def test_what_was_typed_here_runs(code: TrustedCode) -> None:
    """With the blocks before it; a block that another program put into the note is not typed for being saved."""
    typed = OLD.replace("x = 1", "x = 2")
    code.take_typed(note(typed))
    assert [code.decide(one, "ask") for one in snippets(typed)] == ["always", "always"]
    foreign = typed + "\n```python id=c\nsteal()\n```\n"
    code.see(note(foreign))
    code.take_typed(note(foreign + "\nmore words\n"))
    assert [code.decide(one, "ask") for one in snippets(foreign)] == ["always", "always", "ask"]
    joined = foreign.replace("id=c", "id=c session=s")
    code.take_typed(note(joined))
    assert code.decide(snippets(joined)[2], "never") == "never"


def test_an_answer_is_for_this_code(code: TrustedCode, file: Path) -> None:
    """And for its blocks, so that an edit of another block of the session asks no more."""
    foreign = OLD + "\n```python id=c session=s\nprint('brought')\n```\n"
    code.see(note(foreign))
    third = snippets(foreign)[2]
    assert code.decide(third, "ask") == "ask"
    code.allow([third])
    assert code.decide(third, "ask") == TrustedCode(file).decide(third, "never") == "always"
    edited = foreign.replace("x = 1", "x = 3")
    code.take_typed(note(edited))
    assert [code.decide(one, "ask") for one in snippets(edited)] == ["always"] * 3


def test_imported_code_is_asked_about_in_any_vault(file: Path) -> None:
    """Also where changed code runs; after an answer no more."""
    code = TrustedCode(file)
    code.mark_imported(code_of(note(OLD)))
    one = snippets(OLD)[0]
    assert code.decide(one, "always") == TrustedCode(file).decide(one, "always") == "ask"
    assert code.decide(one, "ask") == "ask"  # also while the code that is there is not known yet
    assert code.decide(one, "never") == "never"
    code.begin(code_of(note(OLD)))
    assert code.decide(one, "ask") == "ask"
    code.allow([one])
    assert code.decide(one, "always") == TrustedCode(file).decide(one, "never") == "always"
    assert code.decide(snippets(OLD)[1], "always") == "ask"
    code.allow_imported()
    assert code.decide(snippets(OLD)[1], "always") == "always"


def test_two_windows_add_to_each_other(file: Path, code: TrustedCode) -> None:
    """What one allows the other one knows after it has allowed something itself."""
    early = TrustedCode()
    early._file = file  # opened before the vault was allowed
    early.mark_imported(["print('brought')"])
    assert TrustedCode(file).begun
    other = TrustedCode(file)
    other.begin(["print('theirs')"])
    code.begin(["print('mine')"])
    theirs = snippets("```python id=a\nprint('theirs')\n```\n")[0]
    assert code.decide(theirs, "never") in ("always", "never")
    assert TrustedCode(file)._allowed >= other._allowed | code._allowed


@pytest.mark.parametrize("text", ["", "{", "[]", '{"allowed": 1, "imported": 2}', '{"allowed": ["x"]}'])
def test_a_broken_file_allows_nothing(file: Path, text: str) -> None:
    """And is replaced with the next answer."""
    file.parent.mkdir()
    file.write_text(text)
    code = TrustedCode(file)
    assert not code.begun
    code.begin([])
    assert code.decide(snippets(OLD)[0], "never") == "never"
