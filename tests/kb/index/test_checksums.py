"""The sums beside an index's files: they tell what was written from anything else."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.index import checksums


@given(st.binary(max_size=300), st.integers(1, 100))
def test_a_file_has_the_sum_of_its_bytes(data: bytes, block: int) -> None:
    """However it is read, and another one has another."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(checksums, "_BLOCK", block)
        file = Path(folder, "a")
        file.write_bytes(data)
        assert checksums.sum_of_file(file) == checksums.sum_of(data)
        assert checksums.sum_of(data + b"x") != checksums.sum_of(data)


@pytest.mark.parametrize("sheet", ["", "[]", "nothing", '{"sums": 3}', "\ud800"])
def test_what_cannot_be_read_notes_nothing(tmp_path: Path, sheet: str) -> None:
    """A sheet that is damaged is as none."""
    assert checksums.sums_of(tmp_path) == {}
    (tmp_path / checksums.SUMS).write_bytes(sheet.encode("utf-8", "surrogatepass"))
    assert checksums.sums_of(tmp_path) == {}
