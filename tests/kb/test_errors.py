"""The errors of kb."""

from __future__ import annotations

import pickle

import pytest

from kb.errors import (
    AlreadyInVault,
    BadFrontMatter,
    IndexFailed,
    KbError,
    NoteChanged,
    NoteMissing,
    NotText,
    OutsideVault,
    RenderFailed,
    SaveFailed,
    VaultMissing,
)

ERRORS = [
    VaultMissing("/notes"),
    NoteMissing("a.md"),
    NotText("a.md", "it is binary data", "它是二进制数据"),
    NotText("", "it is binary data"),
    NoteChanged("a.md"),
    SaveFailed("a.md", "the disk is full", "磁盘已满"),
    OutsideVault("../a"),
    AlreadyInVault("/notes/a"),
    BadFrontMatter("line 2"),
    IndexFailed("No.", "不。"),
    RenderFailed("No.", "不。"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_is_a_sentence_in_both_languages(error: KbError) -> None:
    """The English sentence is the text of the error; the Chinese one has Chinese in it."""
    assert str(error) == error.sentence("en") == error.en
    assert error.en.endswith(".")
    assert any("\u4e00" <= char <= "\u9fff" for char in error.sentence("zh"))


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_crosses_to_another_process(error: KbError) -> None:
    """Pickled and read again it is the same error with the same facts."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert (str(again), again.sentence("zh")) == (str(error), error.sentence("zh"))
