"""Suggestions for a query that was corrected or found nothing: other queries, one step away."""

from __future__ import annotations

from collections.abc import Iterator

from app.i18n import Translator
from app.widgets.list_delegates import QuerySuggestion
from kb.analysis.tokens import words as words_of
from kb.results import SearchResult
from kb.search.query import parts, without
from kb.search.query_tokens import QueryPart

_MOST = 5


def unknown_error(result: SearchResult, words: Translator) -> str:
    """Return the sentence for an error message that no note has; empty for any other query."""
    if not result.unknown_error:
        return ""
    return words(
        "没有笔记写到这条报错；下面是最接近的。", "No note has the words of this error; these are the nearest."
    )


def instead(result: SearchResult, words: Translator) -> tuple[QuerySuggestion, ...]:
    """Return the suggestion to search for the typed words if they were corrected; it names the correction."""
    meant = result.did_you_mean
    if not meant:
        return ()
    exact = exactly(result.query, meant)
    typed = " ".join(part.value for part in parts(exact) if part.kind == "phrase") or result.query
    label = words(f"以下是 {meant} 的结果", f"Showing results for {meant}")
    return (QuerySuggestion(label, words(f"仍然搜索 {typed}", f"search instead for {typed}"), exact, linked=True),)


def exactly(query: str, meant: str) -> str:
    """Return a query with each word that was corrected in `meant` in quotation marks."""
    known = {word.term for word in words_of(meant)}
    for part in reversed(parts(query)):
        if part.kind == "word" and any(word.term not in known for word in words_of(part.value)):
            query = f'{query[: part.start]}"{query[part.start : part.end]}"{query[part.end :]}'
    return query


def advice(query: str, words: Translator, *, unfinished: bool) -> tuple[str, tuple[QuerySuggestion, ...]]:
    """Return a message for a query without results, and what to try; `unfinished`: the index is still growing."""
    ways = tuple(_ways(query, words))[:_MOST]
    if unfinished:
        return words("索引还在建立，目前没有找到。", "Nothing found so far; indexing goes on."), ways
    if any(part.name for part in parts(query)):
        return words("没有找到符合全部条件的小节。", "Nothing found that fits all of this."), ways
    return words(
        "没有找到。换个说法、少写几个词，或改用另一种语言的术语。",
        "Nothing found. Try other words, fewer of them, or the term in the other language.",
    ), ways


def _ways(query: str, words: Translator) -> Iterator[QuerySuggestion]:
    """Yield the query without one of its conditions, for each of them."""
    for part in parts(query):
        rest = without(query, part)
        if not rest.strip():
            continue
        if part.name or part.kind == "not":
            said = query[part.start : part.end]
            yield QuerySuggestion(words(f"去掉 {said}", f"Without {said}"), rest.strip(), rest)
        elif part.kind == "phrase":
            loose = _unquoted(query, part)
            yield QuerySuggestion(words("不必原样出现", "Not word for word"), loose, loose)


def _unquoted(query: str, part: QueryPart) -> str:
    return f"{query[: part.start]}{part.value}{query[part.end :]}"
