"""Stamping: a day stands in a note where every claim of it was proven that day, and nowhere else."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from app.notebook import vault_snippets
from app.notebook.proven_date import stamp
from kb.vault.vault import Vault
from snippets.errors import Sentence
from snippets.model.snippet import Snippet
from snippets.results.outcome import unavailable
from snippets.verification.verify import Verdict, VerifyReport

TODAY = dt.date(2026, 11, 21)
HEAD = "---\ntitle: 'A  b'\ntags: [x, y]  # mine\n{proven}aliases:\n- \"one: two\"\n---\n"
FENCE = "\n```python id=one\nprint('x')\n```\n\n```output\nx\n```\n"
FILE = '# /// snippet\n# title.zh = "题"\n# title.en = "title"\n# ///\nprint("y")\n'


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A note of two languages that claims two things, one that claims nothing, and one in a single language."""
    monkeypatch.setattr("app.notebook.vault_snippets.LIBRARY", tmp_path / "none")
    root = tmp_path / "vault"
    root.mkdir()
    for lang in ("zh", "en"):
        text = HEAD.format(proven="") + f"# {lang}\n\n[it](snippet:proof)\n" + FENCE
        (root / f"pair.{lang}.md").write_text(text, "utf-8", newline="\r\n" if lang == "zh" else "\n")
    (root / "plain.md").write_text("# Plain\n\nNo claim.\n", "utf-8")
    (root / "single.md").write_text("# Single\n" + FENCE, "utf-8")
    (root / "proof.py").write_text(FILE, "utf-8")
    (root / "proof.out").write_text("y\n", "utf-8")
    return Vault.open(root)


def verdict(
    snippet: Snippet, status: str = "passed", accepted: str | None = None, device: str = "cpu", torch: str | None = None
) -> Verdict:
    """Say what became of a claim."""
    nothing = replace(unavailable(Sentence("none", "无"), device=device, run_id=""), torch=torch)
    return Verdict(snippet, status, nothing, accepted=accepted)  # type: ignore[arg-type]


def report(vault: Vault, **statuses: str) -> VerifyReport:
    """Say of all claims that they hold, but of these (by the end of the name) something else."""
    found = []
    for snippet in vault_snippets.claims(vault):
        status = statuses.get(snippet.name.replace(".", "_").replace("#", "_"), "passed")
        accepted = "x\n" if status == "accepted" else None
        found.append(verdict(snippet, "passed" if accepted else status, accepted))
    return VerifyReport.of(tuple(found))


def contents(vault: Vault) -> dict[str, bytes]:
    """Read all notes as they lie on the disk."""
    return {path: (vault.root / path).read_bytes() for path in vault.files()}


def test_a_note_of_which_all_is_proven_bears_the_day(vault: Vault) -> None:
    """Both languages of it; every other line stays to the byte, and the note without a claim is left alone."""
    before = contents(vault)
    stamped = stamp(vault, report(vault), TODAY)
    assert stamped.notes == ("pair.en.md", "pair.zh.md", "single.md")
    assert stamped.problems == ()
    after = contents(vault)
    for path, end in (("pair.en.md", b"\n"), ("pair.zh.md", b"\r\n")):
        lines = after[path].split(end)
        assert lines.count(b"proven: 2026-11-21") == 1
        assert [line for line in lines if not line.startswith(b"proven")] == before[path].split(end)
        assert (vault.read(path).meta.proven, vault.read(path).meta.proven_on) == (TODAY, "cpu")
    assert after["plain.md"] == before["plain.md"]


def test_a_later_day_takes_the_place_of_the_earlier(vault: Vault) -> None:
    """One line changes; on the same day the file is not written again."""
    stamp(vault, report(vault), dt.date(2025, 1, 2))
    before = contents(vault)
    stamp(vault, report(vault), TODAY)
    after = contents(vault)
    assert after == {path: text.replace(b"2025-01-02", b"2026-11-21") for path, text in before.items()}
    inode = (vault.root / "pair.en.md").stat().st_ino
    assert stamp(vault, report(vault), TODAY).notes == ("pair.en.md", "pair.zh.md", "single.md")
    assert (vault.root / "pair.en.md").stat().st_ino == inode


@pytest.mark.parametrize("status", ["failed", "unavailable", "accepted"])
@pytest.mark.parametrize("name", ["proof", "pair_zh_md_one", "pair_en_md_one"])
def test_neither_language_bears_the_day_where_a_claim_did_not_hold(vault: Vault, name: str, status: str) -> None:
    """Failed, not run at all, or only recorded just now: that is no proof of either."""
    assert stamp(vault, report(vault, **{name: status}), TODAY).notes == ("single.md",)
    assert vault.read("pair.zh.md").meta.proven is None


def test_a_claim_that_was_not_asked_about_is_not_proven(vault: Vault) -> None:
    """A part of the claims of a note says nothing of the rest."""
    whole = report(vault)
    some = VerifyReport.of(tuple(one for one in whole.results if one.name == "pair.en.md#one"))
    assert stamp(vault, some, TODAY).notes == ()
    assert stamp(vault, VerifyReport.of(()), TODAY).notes == ()


@pytest.mark.parametrize(
    "change", [("print('x')", "print('z')"), ("\nx\n", "\nz\n"), ("snippet:proof", "snippet:gone")]
)
def test_what_changed_since_is_not_proven(vault: Vault, change: tuple[str, str]) -> None:
    """Another code, another output or another snippet than the one that was run."""
    done = report(vault)
    note = vault.read("pair.en.md")
    vault.save(note.path, note.text.replace(*change), expected_hash=note.hash)
    assert stamp(vault, done, TODAY).notes == ("single.md",)


def test_a_note_whose_head_cannot_be_read_is_told(vault: Vault) -> None:
    """Its pair is left as it is; the others are stamped."""
    note = vault.read("pair.zh.md")
    vault.save(note.path, note.text.replace("tags: [x", "tags: [[x"), expected_hash=note.hash)
    before = contents(vault)
    stamped = stamp(vault, report(vault), TODAY)
    assert (stamped.notes, len(stamped.problems)) == (("single.md",), 1)
    assert contents(vault) | {"single.md": b""} == before | {"single.md": b""}


def test_the_claims_of_a_note_are_those_of_both_languages(vault: Vault) -> None:
    """Linked snippets once, blocks of each; what cannot be found is a problem."""
    assert [one.name for one in vault_snippets.stock_of(vault, "pair.zh.md").claims] == [
        "proof",
        "pair.en.md#one",
        "pair.zh.md#one",
    ]
    assert vault_snippets.stock_of(vault, "plain.md") == vault_snippets.SnippetIndex((), ())
    (vault.root / "proof.py").unlink()
    assert [problem.name for problem in vault_snippets.stock_of(vault, "pair.en.md").problems] == ["proof", "proof"]


def test_the_stamp_names_what_it_ran_on(vault: Vault) -> None:
    """Devices that the code declares and never ran on are named; a run there adds them, another torch begins again."""
    path = vault.root / "proof.py"
    path.write_text(FILE.replace("# ///\nprint", '# devices = ["cpu", "cuda"]\n# ///\nprint'), "utf-8")

    def prove(device: str, torch: str, day: dt.date) -> str:
        claims = [one for one in vault_snippets.claims(vault) if device == "cpu" or "cuda" in one.devices]
        stamp(vault, VerifyReport.of(tuple(verdict(one, device=device, torch=torch) for one in claims)), day)
        assert vault.read("pair.en.md").meta.proven_on == vault.read("pair.zh.md").meta.proven_on
        return vault.read("pair.en.md").meta.proven_on

    assert prove("cuda:0", "2.13.0+cu130", TODAY) == ""
    assert prove("cpu", "2.13.0+cpu", TODAY) == "cpu, not cuda, torch 2.13.0"
    assert prove("cuda:0", "2.13.0+cu130", TODAY) == "cpu, cuda, torch 2.13.0"
    assert prove("cpu", "2.14.0", TODAY) == "cpu, not cuda, torch 2.14.0"
    assert vault.read("single.md").meta.proven_on == "cpu, torch 2.14.0"
