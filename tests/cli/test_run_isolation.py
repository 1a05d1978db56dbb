"""Code of a vault is isolated on the command line wherever that works, and each run says which it was."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from snippets.process.isolation import isolation
from tests.cli.invoke import asked, told

isolates = pytest.mark.skipif("not isolation().available", reason="bubblewrap does not work here")
LOOKS = """# Note

```python id=looks
import pathlib
print(pathlib.Path({place!r}).exists())
```

```output
{expected}
```
"""


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Make a file outside the vault, which only code that is not isolated sees."""
    file = tmp_path / "secret.txt"
    file.write_text("secret")
    return file


@isolates
def test_code_of_a_vault_is_isolated_unless_told_otherwise(
    tmp_path: Path, outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`run` and `verify` isolate it without an option and say so; --no-isolate does not, and says that."""
    vault = tmp_path / "notes"
    vault.mkdir()
    (vault / "n.md").write_text(LOOKS.format(place=str(outside), expected="False"))
    for arguments, seen, said in (
        ((), "False\n", "Isolated: no network"),
        (("--no-isolate",), "True\n", "Not isolated: it can reach your files and the network."),
    ):
        code, out, err = asked(capsys, "run", "n.md#looks", "--vault", str(vault), *arguments)
        assert (code, out) == (0, seen)
        assert err.startswith(said)
        document = told(capsys, "run", "n.md#looks", "--vault", str(vault), *arguments)
        assert document["isolated"] is (seen == "False\n")
        code, out, err = asked(capsys, "verify", "n.md", "--vault", str(vault), *arguments)
        assert (code, said in err) == (seen == "True\n", True)


@isolates
def test_a_file_named_by_its_path_is_not_isolated_unless_asked(
    tmp_path: Path, outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is the user's own; --isolate isolates it too."""
    file = tmp_path / "mine.py"
    file.write_text(f"import pathlib\nprint(pathlib.Path({str(outside)!r}).exists())\n")
    _, out, err = asked(capsys, "run", str(file))
    assert (out, "Not isolated: it can" in err) == ("True\n", True)
    assert "bubblewrap" not in err  # it was the user's choice, and nothing is missing
    _, out, err = asked(capsys, "run", str(file), "--isolate")
    assert (out, "Isolated: no network" in err) == ("False\n", True)


def test_without_bubblewrap_code_runs_and_the_reason_is_said(
    vault: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs, and before it stands that it is not isolated and what to install; asked for, it does not run."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    isolation.cache_clear()
    try:
        code, out, err = asked(capsys, "run", "a.md#hi", "--vault", vault)
        assert (code, out) == (0, "hi\n")
        assert err.startswith("Isolated runs need bubblewrap; install it")
        assert "\nNot isolated: it can reach your files and the network.\n" in err
        assert told(capsys, "run", "a.md#hi", "--vault", vault)["isolated"] is False
        refused = told(capsys, "run", "a.md#hi", "--isolate", "--vault", vault, code=1)
        assert (refused["status"], refused["output"]) == ("unavailable", "")
    finally:
        isolation.cache_clear()
