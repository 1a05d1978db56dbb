"""Notes as notebooks."""

from __future__ import annotations

import json

import nbformat

from kb.notes.note import parse
from kb.notes.notebook_export import to_notebook, to_script

NOTE = b"""---
title: A note
---

# A

Text.

```python
print(1)
```

```output
1
```

```bash
ls
```

[Two](snippet:two)

[Unknown](snippet:unknown)
"""


def test_a_note_becomes_a_valid_notebook() -> None:
    """Markdown and code take turns, recorded output is there, and nothing is said twice or lost."""
    text = to_notebook(parse("a.md", NOTE), snippets={"two": "import os\n"}, outputs={"two": "done\n"})
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == [
        ("markdown", "# A\n\nText."),
        ("code", "print(1)"),
        ("markdown", "```bash\nls\n```"),
        ("code", "import os"),
        ("markdown", "[Unknown](snippet:unknown)"),
    ]
    assert [cell.outputs[0].text for cell in notebook.cells if cell.cell_type == "code"] == ["1\n", "done\n"]
    assert notebook.metadata.title == "A note"


def test_the_same_note_gives_the_same_file() -> None:
    """So that an export under version control changes only when the note does."""
    note = parse("a.md", NOTE)
    assert to_notebook(note) == to_notebook(note)


def test_code_without_recorded_output_has_none() -> None:
    """An empty note is a notebook as well."""
    assert json.loads(to_notebook(parse("a.md", b"```python\n1\n```")))["cells"][0]["outputs"] == []
    assert json.loads(to_notebook(parse("a.md", b"")))["cells"] == []


def test_a_note_becomes_a_script_that_runs() -> None:
    """Cells of code between comments; what is no Python stands in a comment."""
    text = to_script(parse("a.md", NOTE), snippets={"two": "import os\n"})
    assert text == (
        "# A note\n\n# %% [markdown]\n# # A\n#\n# Text.\n\n# %%\nprint(1)\n\n"
        "# %% [markdown]\n# ```bash\n# ls\n# ```\n\n# %%\nimport os\n\n# %% [markdown]\n# [Unknown](snippet:unknown)\n"
    )
    compile(text, "a.py", "exec")
