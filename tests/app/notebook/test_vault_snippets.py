"""What can be run in a vault, found by every name it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.notebook import vault_snippets
from kb.errors import NoteMissing
from kb.vault.vault import Vault
from snippets.errors import UnknownSnippet
from snippets.model.catalog import LIBRARY, catalog
from snippets.model.snippet import Snippet

NOTE = """# Note

```python
print(1)
```

```python timeout=soon
print(2)
```

```python id=a session=s
x = 1
```

```python id=b session=s
print(x)
```
"""


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with a note of four blocks and a file of its own."""
    (tmp_path / "note.md").write_text(NOTE, encoding="utf-8")
    (tmp_path / "mine.py").write_text("# /// snippet\n# title.en = 'Mine'\n# ///\nprint('mine')\n", encoding="utf-8")
    return Vault.open(tmp_path)


def names(found: list[Snippet]) -> set[str]:
    """The names of snippets, without the library's."""
    return {snippet.name for snippet in found} - set(catalog(LIBRARY).snippets)


def test_everything_is_listed_but_a_block_with_impossible_options(vault: Vault) -> None:
    """One bad option hides its own block and nothing else."""
    assert names(list(vault_snippets.everything(vault))) == {"mine", "note.md#block1", "note.md#a", "note.md#b"}


def test_claims_are_what_has_an_output(vault: Vault) -> None:
    """A fence without a recorded output claims nothing; a file always does."""
    assert names(list(vault_snippets.claims(vault))) == {"mine"}


def test_blocks_of_a_session_bring_those_before_them(vault: Vault) -> None:
    """The code of a block with session= begins with the session's earlier blocks, in order."""
    assert vault_snippets.find(vault, "note#b").code == "x = 1\nprint(x)\n"
    assert vault_snippets.find(vault, "note.md#a").code == "x = 1\n"


def test_found_by_name_file_and_block(vault: Vault) -> None:
    """A snippet is found by its name, its file, and NOTE#ID with the note by path or title."""
    assert vault_snippets.find(vault, "mine").code == vault_snippets.find(vault, "mine.py").code
    assert vault_snippets.find(vault, "Note#block1").code == "print(1)\n"
    with pytest.raises(UnknownSnippet, match="block1"):
        vault_snippets.find(vault, "note#nothing")
    with pytest.raises(UnknownSnippet):
        vault_snippets.find(vault, "nothing")
    with pytest.raises(UnknownSnippet):
        vault_snippets.find(vault, f"{'x' * 300}.py")
    with pytest.raises(NoteMissing):
        vault_snippets.find(vault, "nothing#a")
