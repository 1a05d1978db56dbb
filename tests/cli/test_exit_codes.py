"""The sentence and the exit code of an error on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.exit_codes import FAILED, USAGE, BadUsage, sentence, wrong_usage
from kb.errors import NoteMissing, SaveFailed
from snippets.errors import UnknownSnippet


@pytest.mark.parametrize(
    "error", [NoteMissing("a.md"), UnknownSnippet("There is no snippet.", "没有这个片段。"), BadUsage("Give one.")]
)
def test_a_wrong_name_is_bad_usage(error: Exception) -> None:
    """A name that does not exist and a wrong combination of options exit with 2."""
    said, code = sentence(error)
    assert code == USAGE
    assert said


def test_only_arguments_that_cannot_be_parsed_are_wrong_usage() -> None:
    """A missing note is an error of the command, which --debug shows with its traceback."""
    assert wrong_usage(BadUsage("Give one."))
    assert not wrong_usage(NoteMissing("a.md"))


def test_a_failed_write_names_file_and_reason() -> None:
    """The sentence of SaveFailed itself speaks of the editor, which the command line does not have."""
    said, code = sentence(SaveFailed("out.html", "the disk is full", "磁盘已满"))
    assert code == FAILED
    assert "out.html" in said
    assert "the disk is full" in said


def test_an_error_of_the_system_names_the_file(tmp_path: Path) -> None:
    """With its reason, and without Python's error number."""
    try:
        (tmp_path / "none").read_text("utf-8")
    except OSError as error:
        said, code = sentence(error)
    assert code == FAILED
    assert said == f"{tmp_path / 'none'} cannot be used: No such file or directory."


def test_an_unexpected_error_names_its_type() -> None:
    """And how to see more."""
    said, code = sentence(ValueError("boom"))
    assert code == FAILED
    assert "ValueError: boom" in said
    assert "--debug" in said
