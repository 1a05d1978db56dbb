"""A block of a note as a file of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.notebook import vault_snippets
from app.notebook.extract_snippet import extract
from kb.errors import KbError
from kb.vault.vault import Vault

NOTE = """# Gather

## 按行取 "rows"

- item

  ```python id=by-row timeout=5 raises=ValueError
  print("one")
  raise ValueError
  ```

  ```output
  one
  ```

```python session=a
x = 1
```
"""


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Give a vault with a note that has blocks."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "gather.en.md").write_text(NOTE, "utf-8")
    return Vault.open(tmp_path)


@pytest.mark.parametrize("line", [7, 9, 13])
def test_a_block_becomes_a_snippet_of_the_vault(vault: Vault, line: int) -> None:
    """With its title, options, code and recorded output; the note shows it by a link in its place."""
    made = extract(vault, "a/gather.en.md", NOTE, line)
    assert (made.first, made.last) == (7, 14)
    assert made.link == '  [按行取 "rows"](snippet:gather_by-row)'
    snippet = vault_snippets.library(vault).snippets["gather_by-row"]
    assert snippet.title["en"] == '按行取 "rows"'
    assert (snippet.timeout, snippet.raises, snippet.recorded) == (5, "ValueError", {"": "one\n"})
    assert snippet.code.endswith('print("one")\nraise ValueError\n')


def test_a_name_that_is_taken_is_not_given_again(vault: Vault) -> None:
    """Neither that of a file nor that of a snippet elsewhere."""
    names = [extract(vault, "a/gather.en.md", NOTE, 7).link.rpartition(":")[2] for _ in range(2)]
    assert names == ["gather_by-row)", "gather_by-row_2)"]


@pytest.mark.parametrize(("line", "said"), [(1, "no python block"), (17, "session")])
def test_what_cannot_be_a_file_stays(vault: Vault, line: int, said: str) -> None:
    """And the reason is said."""
    with pytest.raises(KbError, match=said):
        extract(vault, "a/gather.en.md", NOTE, line)
    assert list(vault.root.rglob("*.py")) == []
