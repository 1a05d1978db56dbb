"""The catalogue: which files are snippets, what is reported of broken ones, and how a name is found."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from snippets.errors import BadSnippet, UnknownSnippet
from snippets.model.catalog import LIBRARY, catalog

BLOCK = '# /// snippet\n# title.zh = "题"\n# title.en = "t"\n# ///\n'


def write(path: Path, text: str = BLOCK) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_snippets_are_the_files_with_a_block(tmp_path: Path) -> None:
    """In any depth, sorted, and without the Python files that are no snippets."""
    write(tmp_path / "b.py")
    write(tmp_path / "deep" / "er" / "a.py")
    write(tmp_path / "plain.py", "print(1)\n")
    write(tmp_path / "notes.md")
    found = catalog(tmp_path)
    assert list(found.snippets) == ["b", "a"]
    assert found.problems == ()


def test_foreign_and_hidden_folders_are_left_out(tmp_path: Path) -> None:
    """Environments, caches, and hidden folders and files are skipped."""
    for name in (".git/a.py", "__pycache__/b.py", "env/lib/c.py", ".d.py"):
        write(tmp_path / name)
    write(tmp_path / "env" / "pyvenv.cfg", "")
    assert catalog(tmp_path).snippets == {}


def test_huge_files_are_left_out(tmp_path: Path) -> None:
    """A generated file of megabytes is not read."""
    write(tmp_path / "a.py", BLOCK + "#" * (1 << 20))
    assert catalog(tmp_path).snippets == {}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_that_lead_out_and_pipes_are_not_opened(tmp_path: Path) -> None:
    """Only regular files of the folder itself are read; a link inside it is one."""
    outside = write(tmp_path / "out" / "secret.py")
    inside = write(tmp_path / "in" / "one.py")
    (tmp_path / "in" / "leak.py").symlink_to(outside)
    (tmp_path / "in" / "dead.py").symlink_to(tmp_path / "nothing.py")
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in", target_is_directory=True)
    os.mkfifo(tmp_path / "in" / "pipe.py")
    (tmp_path / "in" / "two.py").symlink_to(inside)
    assert list(catalog(tmp_path / "in").snippets) == ["one", "two"]


def test_broken_ones_are_reported_apart(tmp_path: Path) -> None:
    """One bad file takes nothing away from the others, and asking for it says what is wrong with it."""
    write(tmp_path / "good.py")
    bad = write(tmp_path / "bad.py", "# /// snippet\n# timeout = 0\n# ///\n")
    found = catalog(tmp_path)
    assert list(found.snippets) == ["good"]
    assert [(problem.name, problem.path) for problem in found.problems] == [("bad", bad)]
    with pytest.raises(BadSnippet, match=r"bad\.py:2: write timeout"):
        found.find("bad")
    with pytest.raises(UnknownSnippet):
        found.find("none")


def test_a_name_taken_twice_is_reported(tmp_path: Path) -> None:
    """The first is kept; the error of the second names both files."""
    first, second = write(tmp_path / "a" / "x.py"), write(tmp_path / "b" / "x.py")
    found = catalog(tmp_path)
    assert found.find("x").path == first
    (problem,) = found.problems
    assert str(first) in str(problem.error)
    assert str(second) in problem.error.sentence("zh")


def test_a_folder_given_twice_is_read_once(tmp_path: Path) -> None:
    """A vault that holds the library does not quarrel with it."""
    write(tmp_path / "a" / "x.py")
    found = catalog(tmp_path / "a", tmp_path)
    assert (list(found.snippets), found.problems) == (["x"], ())


def test_an_unreadable_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the system refuses is a problem with a sentence, not an end of the listing."""
    write(tmp_path / "a.py")
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "a.py":
            raise PermissionError(13, "Permission denied")
        return read(path)

    write(tmp_path / "b.py")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    found = catalog(tmp_path)
    assert list(found.snippets) == ["b"]
    assert "cannot be read: Permission denied" in str(found.problems[0].error)


def test_a_missing_folder_is_empty(tmp_path: Path) -> None:
    """A vault without snippets, or gone, has none."""
    assert catalog(tmp_path / "none").snippets == {}


def test_close_names_are_offered(tmp_path: Path) -> None:
    """A slip of the finger finds what was meant, in both languages; a strange name leads to the list."""
    write(tmp_path / "gather_by_row.py")
    found = catalog(tmp_path)
    with pytest.raises(UnknownSnippet, match=r"did you mean gather_by_row\?") as caught:
        found.find("gather_by_rwo")
    assert "是不是要找 gather_by_row" in caught.value.sentence("zh")
    with pytest.raises(UnknownSnippet, match="`snippets` lists"):
        found.find("zzz")


def test_the_library_is_whole() -> None:
    """Every file that ships is a snippet under a name of its own."""
    assert catalog(LIBRARY).problems == ()
    assert set(catalog(LIBRARY).snippets) == {path.stem for path in LIBRARY.glob("*.py")}
