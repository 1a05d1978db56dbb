"""Rename methods and attributes by type, as mypy infers them: on each system that the code asks for.

What mypy finds out is kept for the Python files and the system it was asked of (in the system's folder for temporary files).
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PLATFORMS = tuple(os.environ.get("RENAME_PLATFORMS", "linux win32 darwin").split())


# What a thing of these names is where mypy does not know: tests have a window that is `Any`.
RECEIVERS = {
    "run": ("app.window.Window", "app.equipment.EquippedWindow"),
    "empty": ("app.middle.emptypage.EmptyPage",),
    "window": ("app.window.Window", "app.equipment.EquippedWindow"),
    "workspace": ("app.rooms.workspace.Workspace",),
    "centre": ("app.middle.centre.Centre",),
    "reading": ("app.middle.reading.Reading",),
    "lookup": ("app.rooms.lookup.Lookup",),
    "notes": ("app.rooms.notes.Notes",),
    "memory": ("app.rooms.memory.Memory",),
    "survey": ("app.rooms.survey.Survey",),
    "arranging": ("app.rooms.arranging.Arranging",),
    "machine": ("app.running.machine.Machine",),
    "runs": ("app.running.runs.Runs",),
    "leaving": ("app.commands.leaving.Leaving",),
    "replacer": ("app.middle.replacer.Replacer",),
    "exchange": ("app.commands.exchanging.Exchange",),
    "editor": ("app.editor.pane.EditorPane",),
    "tabs": ("app.rooms.tabs.Tabs",),
    "emptypage": ("app.middle.emptypage.EmptyPage",),
}


@dataclass
class Facts:
    members: list[tuple[str, int, int, str, tuple[str | None, ...]]] = field(default_factory=list)  # path, end line and column, name, classes
    defs: list[tuple[str, str, str, str, int, int]] = field(default_factory=list)  # path, class, "def" | "var", name, line, column
    strings: list[tuple[str, int, int, int, int, str, tuple[str | None, ...]]] = field(default_factory=list)
    mro: dict[str, tuple[str, ...]] = field(default_factory=dict)
    names: dict[str, frozenset[str]] = field(default_factory=dict)


@functools.cache
def facts(repo: Path, platform: str, paths: frozenset[str]) -> Facts:
    """Ask mypy about a checkout."""
    listed = subprocess.run(["git", "-C", str(repo), "ls-files", "-s", "*.py"], check=True, capture_output=True, text=True).stdout
    name = hashlib.sha256(listed.encode()).hexdigest()[:16]  # of every Python file with its content
    kept = Path(tempfile.gettempdir()) / f"rename-facts2-{name}-{platform}.pickle"
    if kept.exists():
        return pickle.loads(kept.read_bytes())
    found = _asked(repo, platform, paths)
    kept.write_bytes(pickle.dumps(found))
    return found


def _asked(repo: Path, platform: str, paths: set[str]) -> Facts:
    from mypy import build
    from mypy.main import process_options
    from mypy.nodes import AssignmentStmt, CallExpr, ClassDef, Decorator, FuncDef, MemberExpr, NameExpr, Node, OverloadedFuncDef, RefExpr, StrExpr, SuperExpr, TypeInfo
    from mypy.types import AnyType, CallableType, Instance, LiteralType, Overloaded, TupleType, Type, TypeType, TypeVarType, UnionType, get_proper_type

    found = Facts()

    def known(info: TypeInfo) -> str:
        if info.fullname not in found.mro:
            found.mro[info.fullname] = tuple(base.fullname for base in info.mro)
            for base in info.mro:
                found.names[base.fullname] = frozenset(base.names)
        return info.fullname

    def infos(kind: Type | None) -> Iterator[str | None]:
        """The classes that a type may be; None for one that nobody knows."""
        kind = get_proper_type(kind) if kind is not None else None
        if isinstance(kind, Instance):
            yield known(kind.type)
        elif isinstance(kind, UnionType):
            for item in kind.items:
                yield from infos(item)
        elif isinstance(kind, CallableType):
            if kind.is_type_obj():
                yield from infos(kind.ret_type)
        elif isinstance(kind, Overloaded):
            yield from infos(kind.items[0])
        elif isinstance(kind, TypeType):
            yield from infos(kind.item)
        elif isinstance(kind, TypeVarType):
            yield from infos(kind.upper_bound)
        elif isinstance(kind, TupleType):
            yield known(kind.partial_fallback.type)
        elif isinstance(kind, LiteralType):
            yield known(kind.fallback.type)
        elif isinstance(kind, AnyType):
            yield None

    leads_away = {"node", "info", "type", "original_first", "definition", "names", "module", "typ", "type_info", "imports"}

    @functools.cache
    def attributes(kind: type) -> tuple[str, ...]:
        those = {name for base in kind.__mro__ for name, what in vars(base).items() if type(what).__name__ in {"getset_descriptor", "member_descriptor"}}
        return tuple(sorted(those - leads_away))

    def nodes(value: object) -> list[Any]:
        if isinstance(value, Node) and not isinstance(value, TypeInfo):
            return [value]
        if isinstance(value, list | tuple):
            return [node for item in value for node in nodes(item)]
        return []

    def classes(thing: Any) -> tuple[str | None, ...]:
        if isinstance(thing, RefExpr) and isinstance(thing.node, TypeInfo):
            return (known(thing.node),)
        return tuple(dict.fromkeys(infos(result.types.get(thing))))

    def look(path: str, node: Any) -> None:
        if isinstance(node, MemberExpr | SuperExpr):
            those = (known(node.info),) if isinstance(node, SuperExpr) and node.info else classes(node.expr) if isinstance(node, MemberExpr) else ()
            found.members.append((path, node.end_line, node.end_column, node.name, those))
        elif isinstance(node, ClassDef):
            name = known(node.info)
            for item in node.defs.body:
                if isinstance(item, FuncDef | OverloadedFuncDef | Decorator):
                    for one in item.items if isinstance(item, OverloadedFuncDef) else [item]:
                        func = one.func if isinstance(one, Decorator) else one
                        found.defs.append((path, name, "def", item.name, func.line, func.column))
                elif isinstance(item, AssignmentStmt):
                    for lvalue in item.lvalues:
                        if isinstance(lvalue, NameExpr):
                            found.defs.append((path, name, "var", lvalue.name, lvalue.line, lvalue.column))
        elif isinstance(node, CallExpr):
            called = node.callee.name if isinstance(node.callee, MemberExpr | NameExpr) else ""
            if called in {"setattr", "getattr", "hasattr", "delattr", "object"} and len(node.args) >= 2:
                thing, text = node.args[:2]
                if isinstance(text, StrExpr):
                    found.strings.append((path, text.line, text.column, text.end_line, text.end_column, text.value, classes(thing)))

    sources, options = process_options([f"--platform={platform}", *tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["mypy"]["files"], *map(str, sorted(Path("scripts").glob("*.py")))])
    options.incremental = False
    options.cache_dir = os.devnull
    options.export_types = True
    options.preserve_asts = True
    result = build.build(sources, options)
    if platform == "linux" and result.errors:
        print("mypy before:", *result.errors[:5], sep="\n  ")
    for file in result.files.values():
        path = os.path.relpath(file.path) if file.path else ""
        if path not in paths:
            continue
        seen: set[int] = set()
        waiting: list[Any] = [file]
        while waiting:  # by attributes, as a compiled mypy has no visitors for others to derive from
            node = waiting.pop()
            if id(node) not in seen:
                seen.add(id(node))
                look(path, node)
                for name in attributes(type(node)):
                    waiting += nodes(getattr(node, name, None))
    return found


def guess(world: Any, receiver: str, name: str) -> str | None:
    """The new name of a member of what is called so, in a program within a string."""
    table = {tuple(old.rsplit(".", 1)): new for old, new in world.tables.members.items()}
    if not any(known == name for _, known in table):
        return None
    of = facts(world.repo, PLATFORMS[0], frozenset(world.texts))
    for kind in RECEIVERS.get(receiver.lstrip("_"), ()):
        for base in of.mro.get(kind, ()):
            if (base, name) in table:
                return table[base, name]
    return None


def rename(world: Any) -> None:
    table = {tuple(old.rsplit(".", 1)): new for old, new in world.tables.members.items()}
    wanted = {name for _, name in table}
    unsure, met = set(), set()
    here = os.getcwd()
    os.chdir(world.repo)
    for platform in PLATFORMS:
        of = facts(world.repo, platform, frozenset(world.texts))

        def new(kind: str | None, name: str) -> str | None:
            return next((table[base, name] for base in of.mro.get(kind or "", ()) if (base, name) in table), None)

        met |= {(kind, name) for kind, names in of.names.items() for name in names}
        for (kind, name), after in table.items():
            if any(after in of.names[base] for base in of.mro.get(kind, ())) and not any((base, after) in table for base in of.mro[kind]):
                world.conflicts.append(f"{kind}.{name} -> {after}, which it has already")
        for path, line, column, name, kinds in of.members:
            if name not in wanted:
                continue
            if not kinds or kinds == (None,):
                text = world.texts[path]
                before = text.text[max(0, text.at(line, column) - 80):text.at(line, column)].removesuffix(name)
                if not before.endswith("."):
                    there = [match.start() for match in re.finditer(rf"(?<=\.){name}\b", text.lines[line - 1])]
                    before = text.lines[line - 1][:there[0]] if len(there) == 1 else ""
                named = re.search(r"(\w+)\.$", before)
                guessed = RECEIVERS.get(named[1].lstrip("_"), ()) if named else ()
                kinds = tuple(kind for kind in guessed if new(kind, name)) or kinds
            those = {new(kind, name) for kind in kinds}
            if None in kinds or not kinds:
                unsure.add(f"{path}:{line}: .{name} of something unknown")
            after = those - {None}
            if len(after) > 1:
                world.conflicts.append(f"{path}:{line}: .{name} would be {after}")
            elif after:
                if None in those:
                    unsure.add(f"{path}:{line}: .{name} of several kinds, renamed")
                text = world.texts[path]
                end = text.at(line, column)
                start = end - len(name)
                if text.text[start:end] != name:  # within an f-string, whose parts have no sure place before Python 3.12
                    first = text.starts[line - 1]
                    there = list(re.finditer(rf"(?<=\.){name}\b", text.text[first:text.starts[line]]))
                    if len({match.start() for match in there}) == 1:
                        start, end = first + there[0].start(), first + there[0].end()
                if text.text[start:end] != name:
                    world.conflicts.append(f"{path}:{line}: .{name} is not where mypy has it")
                else:
                    text.replace(start, end, after.pop())
        for path, kind, sort, name, line, column in of.defs:
            after = new(kind, name) if name in wanted else None
            if not after:
                continue
            text = world.texts[path]
            if sort == "def":
                match = re.compile(rf"\bdef {name}\b").search(text.text, text.starts[line - 1])
                assert match, (path, name)
                text.replace(match.end() - len(name), match.end(), after)
            else:
                start = text.at(line, column)
                text.replace(start, start + len(name), after)
        for path, line, column, end_line, end_column, value, kinds in of.strings:
            for kind in kinds if value in wanted else ():
                after = new(kind, value)
                if after:
                    text = world.texts[path]
                    start, end = text.at(line, column), text.at(end_line, end_column)
                    text.replace(start, end, text.text[start:end].replace(value, after))
    os.chdir(here)
    missing = [key for key in table if key not in met]
    if missing:
        sys.exit("rename: members that are not there:\n  " + "\n  ".join(map(".".join, missing)))
    for one in sorted(unsure):
        print("look at", one)
