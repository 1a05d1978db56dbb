"""Where things live."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kb.files.paths import UserPaths, make_private


def test_everything_lies_under_the_home_that_is_set(home: Path) -> None:
    """$TORCHLEAF_HOME takes the place of the platform's folders."""
    assert UserPaths.of_user() == UserPaths.under(home)
    assert UserPaths.of_user().user_vault == home / "documents" / "Torchleaf"


def test_the_platform_says_where_without_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the variable the folders are those of the user, and none of them is made by asking."""
    monkeypatch.delenv("TORCHLEAF_HOME")
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    places = UserPaths.of_user()
    assert places.data.name == places.cache.name == "torchleaf"
    assert len({places.data, places.cache, places.documents}) == 3
    assert not places.data.exists()


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="these have one folder of documents")
def test_the_vault_lies_where_the_users_documents_are(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As XDG says: the variable first, then the user's own file, else Documents, which need not be there."""
    monkeypatch.delenv("TORCHLEAF_HOME")
    for name in ("XDG_DOCUMENTS_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert UserPaths.of_user().user_vault == home / "Documents" / "Torchleaf"
    (home / ".config").mkdir()
    (home / ".config" / "user-dirs.dirs").write_text('XDG_DOCUMENTS_DIR="$HOME/文档"\n', "utf-8")
    assert UserPaths.of_user().user_vault == home / "文档" / "Torchleaf"
    monkeypatch.setenv("XDG_DOCUMENTS_DIR", str(home / "elsewhere"))
    assert UserPaths.of_user().user_vault == home / "elsewhere" / "Torchleaf"
    assert [path.name for path in home.iterdir()] == [".config"]


def test_a_vault_is_known_by_its_resolved_path(tmp_path: Path) -> None:
    """A link to a vault shares its places, a moved one does not, and nothing lies inside the vault."""
    places = UserPaths.under(tmp_path / "home")
    vault = tmp_path / "vault"
    vault.mkdir()
    (tmp_path / "link").symlink_to(vault)
    mine = places.for_vault(vault)
    assert places.for_vault(tmp_path / "link") == mine
    assert places.for_vault(tmp_path / "moved") != mine
    paths = [mine.index, mine.ledger, mine.drafts, mine.runs, mine.state, mine.trash]
    assert len(set(paths)) == len(paths)
    assert not any(path.is_relative_to(vault) for path in paths)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_private_folders_are_for_the_user_alone(tmp_path: Path) -> None:
    """Every folder that is made has mode 0700; one that is there is left as it is."""
    tmp_path.chmod(0o755)
    made = make_private(tmp_path / "a" / "b")
    assert {made.stat().st_mode & 0o777, made.parent.stat().st_mode & 0o777} == {0o700}
    assert make_private(made) == made
    assert tmp_path.stat().st_mode & 0o777 == 0o755
