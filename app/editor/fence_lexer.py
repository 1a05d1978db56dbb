"""Highlights code in a fence one line at a time, with the lexer's state of the line before."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from pygments.lexer import ExtendedRegexLexer, LexerContext
from pygments.lexers import find_lexer_class_by_name
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
_LONGEST_LINE = 1_000  # characters; longer lines have no colours
_DEEPEST = 60  # nested states; a text with more is no code in this language
# Lexers that consist of plain states: only these can stop and resume at the end of any line.
LANGUAGES = frozenset(
    {"python", "py", "python3", "bash", "sh", "shell", "zsh", "toml", "ini", "cfg", "diff", "cmake", "dockerfile"}
    | {"docker", "sql", "js", "javascript", "ts", "typescript", "html", "xml", "css", "rust", "rs", "go", "java"}
    | {"latex", "tex", "powershell"}
)
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
    """Return whether a language can be highlighted line by line."""
    return lang in LANGUAGES


def coloured(lang: str, line: str, stack: Stack) -> tuple[list[tuple[int, int, str]], Stack]:
    """Return (index, length, role) of the coloured parts of a line, and the state of the next line."""
    if lang not in LANGUAGES or len(line) > _LONGEST_LINE:
        return [], stack
    lexer = _lexer(lang)
    context = LexerContext(f"{line}\n", 0, list(stack))
    found = list(_roles(lexer, context))
    return found, tuple(context.stack) if len(context.stack) <= _DEEPEST else ROOT


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
def _lexer(lang: str) -> ExtendedRegexLexer:
    """Return a lexer that reports the state at the end of a line."""
    plain = find_lexer_class_by_name(lang)
    resumable = type(f"Resumable{plain.__name__}", (ExtendedRegexLexer, plain), {})
    return resumable()  # type: ignore[no-any-return]  # a class made of two lexer classes
