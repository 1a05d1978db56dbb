"""Colours for the code inside a fence, one line at a time: the lexer's state is carried from line to line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from pygments.lexer import ExtendedRegexLexer, LexerContext, RegexLexer
from pygments.lexers import find_lexer_class_by_name, get_all_lexers
from pygments.token import (
    Comment,
    Generic,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Token,
)

Stack: TypeAlias = tuple[str, ...]
ROOT: Stack = ("root",)
_LONGEST_LINE = 1_000  # characters; a longer line stays without colours
_ROLES = {
    Comment: "comment",
    Generic.Error: "error",
    Generic.Inserted: "string",
    Generic.Deleted: "error",
    Generic.Prompt: "comment",
    Keyword: "keyword",
    Name.Attribute: "function",
    Name.Builtin: "builtin",
    Name.Class: "function",
    Name.Decorator: "builtin",
    Name.Exception: "builtin",
    Name.Function: "function",
    Name.Tag: "keyword",
    Number: "number",
    Operator.Word: "keyword",
    String: "string",
    String.Escape: "number",
}


def known(lang: str) -> bool:
    """Return whether the language can be coloured line by line."""
    return _lexer(lang) is not None


def coloured(lang: str, line: str, stack: Stack) -> tuple[list[tuple[int, int, str]], Stack]:
    """Return (start, length, role) of what has a colour in a line, and the state that the next line starts in."""
    lexer = _lexer(lang)
    if lexer is None or len(line) > _LONGEST_LINE:
        return [], stack
    context = LexerContext(f"{line}\n", 0, list(stack))
    return list(_roles(lexer, context)), tuple(context.stack)


def _roles(lexer: ExtendedRegexLexer, context: LexerContext) -> Iterator[tuple[int, int, str]]:
    for start, token, value in lexer.get_tokens_unprocessed(context=context):
        role = _role(token)
        if role and value.strip():
            yield start, len(value.rstrip("\n")), role


@cache
def _role(token: object) -> str:
    while token is not Token and token is not None:
        if token in _ROLES:
            return _ROLES[token]
        token = getattr(token, "parent", None)
    return ""


@cache
def _lexer(lang: str) -> ExtendedRegexLexer | None:
    """Return a lexer that says in which state a line ended; only those of plain regular expressions can."""
    if lang not in _names():
        return None
    found = find_lexer_class_by_name(lang)
    if not issubclass(found, RegexLexer) or found.get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed:
        return None
    resumable = type(f"Resumable{found.__name__}", (ExtendedRegexLexer, found), {})
    return resumable()  # type: ignore[no-any-return]  # made here from two lexer classes


@cache
def _names() -> frozenset[str]:
    """Return the names of the lexers that came with Pygments; looking for others at each key would be slow."""
    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)
