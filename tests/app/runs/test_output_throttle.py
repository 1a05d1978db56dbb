"""Output on its way from a run's thread to the window, and what is kept of it."""

from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot

from app.executor import GuiExecutor
from app.runs.output_throttle import KEPT_CHARACTERS, PENDING_LIMIT, OutputThrottle, RunTranscript, merged
from snippets.results.run_output import OutputChunk


def test_neighbours_of_one_stream_are_joined() -> None:
    """The order stays."""
    chunks = [
        OutputChunk("stdout", "a"),
        OutputChunk("stdout", "b"),
        OutputChunk("stderr", "c"),
        OutputChunk("stdout", "d"),
    ]
    assert merged(chunks) == [("stdout", "ab"), ("stderr", "c"), ("stdout", "d")]


def test_a_flood_comes_in_few_steps_and_its_cut_is_counted(qtbot: QtBot) -> None:
    """Every character is passed on or counted."""
    executor, passed = GuiExecutor(), []
    flow = OutputThrottle(executor, lambda stream, text: passed.append((stream, text)))

    def flood() -> None:
        for _ in range(3000):
            flow.add(OutputChunk("stdout", "x" * 1000))

    thread = threading.Thread(target=flood)
    thread.start()
    thread.join()
    flow.flush()
    said = next(text for stream, text in passed if stream == "stderr")
    shown = sum(len(text) for stream, text in passed if stream == "stdout")
    assert f"{3_000_000 - shown:,}" in said
    assert shown <= PENDING_LIMIT
    assert len(passed) <= 2
    executor.close()


def test_it_passes_on_by_itself(qtbot: QtBot) -> None:
    """Within a moment, on the GUI thread."""
    executor, passed = GuiExecutor(), []
    flow = OutputThrottle(executor, lambda stream, text: passed.append((text, threading.current_thread())))
    thread = threading.Thread(target=lambda: flow.add(OutputChunk("stdout", "hello")))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(passed), timeout=30_000)
    assert passed == [("hello", threading.main_thread())]
    executor.close()


def test_a_transcript_keeps_beginning_and_end() -> None:
    """In bounded memory."""
    transcript, replayed = RunTranscript("cpu"), []
    for number in range(4000):
        transcript.add("stdout", f"{number:>999}\n")
    transcript.replay(lambda _, text: replayed.append(text))
    assert sum(map(len, replayed)) <= KEPT_CHARACTERS
    assert replayed[0].strip() == "0"
    assert replayed[-1].strip() == "3999"
