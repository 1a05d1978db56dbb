"""The window as a command line asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.startup.gui_launch import GuiArguments, gui_arguments


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ([], GuiArguments()),
        (["gui"], GuiArguments()),
        (["gui", "--vault", "notes"], GuiArguments(Path("notes"))),
        (["--vault", "a b", "--debug"], GuiArguments(Path("a b"), debug=True)),
        (["gui", "--temp", "--debug"], GuiArguments(temp=True, debug=True)),
    ],
)
def test_what_asks_for_the_window_is_understood(arguments: list[str], asked: GuiArguments) -> None:
    """The window, with a vault and the two switches, is opened without the command line."""
    assert gui_arguments(arguments) == asked


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "x"],
        ["gui", "--help"],
        ["gui", "--vault"],
        ["gui", "--vault", ""],
        ["gui", "--vault", "--temp"],
        ["gui", "--vault=notes"],
        ["gui", "--vault", "a", "--vault", "b"],
        ["gui", "notes"],
        ["--vault", "a", "gui"],
        ["gui", "gui"],
        ["--tem"],
    ],
)
def test_what_is_doubtful_is_left_to_the_command_line(arguments: list[str]) -> None:
    """Help, other commands, and every mistake are told of where all options are known."""
    assert gui_arguments(arguments) is None
