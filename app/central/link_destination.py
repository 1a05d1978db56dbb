"""What a link of a note leads to: a note, a file of the vault, a web page, or something to be asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from kb.errors import KbError
from kb.vault.vault import Vault
from snippets.model.catalog import LIBRARY

_NOTES = (".md", ".markdown", ".txt")


@dataclass(frozen=True)
class LinkDestination:
    """Where a link leads: a note's path, a file, or an address as it stands in the link."""

    kind: Literal["note", "file", "web", "other", "missing"]
    where: str
    anchor: str = ""


def target_of(vault: Vault, from_path: str, link: str) -> LinkDestination:
    """Find what a link in a note means. Only http and https are web pages; other schemes are asked about."""
    if link.startswith("#"):
        return LinkDestination("note", from_path, unquote(link[1:]))
    scheme = urlsplit(link).scheme.lower() if ":" in link.split("/", maxsplit=1)[0] else ""
    if scheme in {"http", "https"}:
        return LinkDestination("web", link)
    if scheme == "snippet":
        return _snippet(link.partition(":")[2])
    place = link.partition(":")[2] if scheme in {"note", "wiki"} else link
    if scheme and scheme not in {"note", "wiki"}:
        return LinkDestination("other", link)
    return _in_vault(vault, from_path, place)


def _in_vault(vault: Vault, from_path: str, place: str) -> LinkDestination:
    path, _, anchor = place.partition("#")
    found = vault.resolve_link(from_path, unquote(path)) or vault.resolve_link(from_path, path)
    if found is None:
        return LinkDestination("missing", unquote(path))
    if found.lower().endswith(_NOTES):
        return LinkDestination("note", found, unquote(anchor))
    try:
        return LinkDestination("file", str(vault.attachment(from_path, unquote(path))))
    except KbError:
        return LinkDestination("missing", unquote(path))


def _snippet(name: str) -> LinkDestination:
    file = LIBRARY / f"{name}.py"
    return (
        LinkDestination("file", str(file)) if "/" not in name and file.is_file() else LinkDestination("missing", name)
    )
