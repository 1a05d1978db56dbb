#!/usr/bin/env python3
"""Rename the modules, packages, classes, functions and methods of a checkout, by the tables beside this file.

    PYTHON rename.py REPO [--no-members] [--no-format]

PYTHON is one that has mypy, ruff and import-linter (that of the project's .venv). REPO is a clean checkout.
Every edit is computed on the old tree, applied at once, and then the files are moved.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import io
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOPS = ("app", "kb", "snippets")
DATA = ("kb/notes/", "kb/library/", "snippets/library/", "tests/data/")


class Wrong(Exception):
    """The tree and the tables do not fit."""


def rows(name: str) -> Iterator[list[str]]:
    path = HERE / name
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words:
            yield words


def git(repo: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(repo), *words], check=True, capture_output=True, text=True).stdout


# ---------------------------------------------------------------- tables


@dataclass
class Tables:
    modules: dict[str, str] = field(default_factory=dict)  # old dotted -> new dotted
    packages: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)  # old file or folder -> new
    symbols: dict[str, str] = field(default_factory=dict)  # "old.module.Name" -> new simple name
    members: dict[str, str] = field(default_factory=dict)  # "old.module.Class.name" -> new simple name
    notes: list[str] = field(default_factory=list)


def module_of(path: str) -> str:
    name = path[:-3].replace("/", ".")
    return name.removesuffix(".__init__")


def load(repo: Path, files: list[str]) -> Tables:
    tables = Tables()
    present = {module_of(path): path for path in files if path.endswith(".py") and path.startswith(tuple(f"{t}/" for t in TOPS)) and not path.startswith(DATA)}
    missing = []
    for old, new, *flags in rows("modules.txt"):
        if old in present:
            tables.modules[old] = new
        elif "?" in flags:
            tables.notes.append(f"gone (as allowed): {old}")
        else:
            missing.append(old)
    for old, new in rows("packages.txt"):
        tables.packages[old] = new
    for old, new in rows("paths.txt"):
        if (repo / old).exists():
            tables.paths[old] = new
        else:
            missing.append(old)
    if missing:
        raise Wrong("named in a table and not in the tree:\n  " + "\n  ".join(missing))
    kept = {"app", "kb", "snippets"} | {m for m, p in present.items() if p.endswith(("__init__.py", "__main__.py"))}
    for name in sorted(set(present) - set(tables.modules) - kept):
        tables.notes.append(f"NOT IN THE TABLE, kept in place: {name}")
        package = name.rsplit(".", 1)[0]
        if package in tables.packages:
            tables.modules[name] = f"{tables.packages[package]}.{name.rsplit('.', 1)[1]}"
    optional = {module for module, *_, flag in rows("modules.txt") if flag == "?"}
    for old, new, *flags in rows("symbols.txt"):
        if old.rsplit(".", 1)[0] in optional - set(present):
            continue
        (tables.members if old.rsplit(".", 1)[0] not in present else tables.symbols)[old] = new
    return tables


def moves(tables: Tables, files: list[str]) -> dict[str, str]:
    """Old file -> new file, for every file that moves."""
    found: dict[str, str] = {}
    for old, new in tables.modules.items():
        found[old.replace(".", "/") + ".py"] = new.replace(".", "/") + ".py"
    folders = sorted(tables.packages.items(), key=lambda pair: -len(pair[0]))
    for path in files:
        if path in tables.paths:
            found[path] = tables.paths[path]
            continue
        for old, new in tables.paths.items():
            if path.startswith(f"{old}/"):
                found[path] = new + path[len(old):]
        if not path.startswith("tests/") or not path.endswith(".py") or path.startswith(("tests/data/", "tests/e2e/", "tests/benchmarks/")):
            continue
        match = re.fullmatch(r"tests/(.*/)?test_(\w+)\.py", path)
        where = (match[1] or "") if match else ""
        if match:
            prefix = "app/cli/" if where == "cli/" else where
            module = f"{prefix}{match[2]}".replace("/", ".")
            new = tables.modules.get(module)
            if new:
                place, name = new.rsplit(".", 1)
                place = place.replace(".", "/")
                if where == "cli/":
                    place = "cli"
                found[path] = f"tests/{place}/test_{name}.py"
                continue
        for old, new in folders:
            if path.startswith(f"tests/{old.replace('.', '/')}/"):
                found[path] = f"tests/{new.replace('.', '/')}" + path[6 + len(old):]
                break
        else:
            if match and where in {"kb/", "snippets/"}:
                tables.notes.append(f"test that mirrors no module, kept in place: {path}")
    return {old: new for old, new in found.items() if old != new}


# ---------------------------------------------------------------- scopes


@dataclass
class Scope:
    kind: str
    parent: Scope | None
    bound: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))  # name -> (kind, target)
    outer: set[str] = field(default_factory=set)  # declared global or nonlocal

    def lookup(self, name: str) -> Scope | None:
        scope: Scope | None = self
        first = True
        while scope is not None:
            if (first or scope.kind != "class") and name in scope.bound and name not in scope.outer:
                return scope
            scope, first = scope.parent, False
        return None


class Reader(ast.NodeVisitor):
    """The scopes of a module, and every place where a name is used or bound."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.module = module
        self.top = Scope("module", None)
        self.scope = self.top
        self.uses: list[tuple[ast.Name, Scope]] = []
        self.attributes: list[tuple[ast.Attribute, Scope]] = []
        self.imports: list[tuple[ast.Import | ast.ImportFrom, Scope]] = []
        self.defs: list[tuple[ast.AST, str, Scope]] = []
        self.calls: list[tuple[ast.Call, Scope]] = []
        self.pairs: list[tuple[ast.Tuple, Scope]] = []
        self.declared: list[tuple[ast.Global | ast.Nonlocal, Scope]] = []
        self.exported = [
            item for node in tree.body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
            for item in ast.walk(node.value) if isinstance(item, ast.Constant)
        ]
        self.visit(tree)

    def _bind(self, name: str, kind: str, target: str = "") -> None:
        self.scope.bound[name].append((kind, target))

    def visit_Import(self, node: ast.Import) -> None:
        self.imports.append((node, self.scope))
        for alias in node.names:
            if alias.asname:
                self._bind(alias.asname, "import", alias.name)
            else:
                self._bind(alias.name.split(".")[0], "import", alias.name.split(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.imports.append((node, self.scope))
        for alias in node.names:
            self._bind(alias.asname or alias.name, "import", f"{node.module}.{alias.name}")

    def visit_Name(self, node: ast.Name) -> None:
        self.uses.append((node, self.scope))
        if not isinstance(node.ctx, ast.Load):
            scope = self.scope
            kept = self.scope
            if getattr(node, "walrus", False):
                while scope.kind == "comprehension" and scope.parent:
                    scope = scope.parent
            self.scope = scope
            if node.id not in scope.outer:
                self._bind(node.id, "var", f"{self.module}.{node.id}" if scope is self.top else "")
            self.scope = kept

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        node.target.walrus = True  # type: ignore[attr-defined]
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.outer.update(node.names)
        self.declared.append((node, self.scope))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.outer.update(node.names)
        self.declared.append((node, self.scope))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.attributes.append((node, self.scope))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.calls.append((node, self.scope))
        self.generic_visit(node)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        if len(node.elts) == 2 and isinstance(node.elts[1], ast.Constant) and isinstance(node.elts[1].value, str):
            self.pairs.append((node, self.scope))
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name, "var")
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._bind(node.name, "var")
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name, "var")

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest, "var")
        self.generic_visit(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        args = node.args
        everything = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, [args.vararg, args.kwarg])]
        for default in [*args.defaults, *filter(None, args.kw_defaults)]:
            self.visit(default)
        for arg in everything:
            if arg.annotation:
                self.visit(arg.annotation)
        if not isinstance(node, ast.Lambda):
            for decorator in node.decorator_list:
                self.visit(decorator)
            if node.returns:
                self.visit(node.returns)
        self.scope = Scope("function", self.scope)
        for arg in everything:
            self._bind(arg.arg, "arg")
        for part in [node.body] if isinstance(node, ast.Lambda) else node.body:
            self.visit(part)
        assert self.scope.parent
        self.scope = self.scope.parent

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.defs.append((node, node.name, self.scope))
        self._bind(node.name, "def", f"{self.module}.{node.name}" if self.scope is self.top else "")
        self._function(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.defs.append((node, node.name, self.scope))
        self._bind(node.name, "def", f"{self.module}.{node.name}" if self.scope is self.top else "")
        for part in [*node.decorator_list, *node.bases, *[k.value for k in node.keywords]]:
            self.visit(part)
        self.scope = Scope("class", self.scope)
        for part in node.body:
            self.visit(part)
        assert self.scope.parent
        self.scope = self.scope.parent

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        self.visit(node.generators[0].iter)
        self.scope = Scope("comprehension", self.scope)
        for at, generator in enumerate(node.generators):
            self.visit(generator.target)
            if at:
                self.visit(generator.iter)
            for test in generator.ifs:
                self.visit(test)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.visit(part)
        assert self.scope.parent
        self.scope = self.scope.parent

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension  # type: ignore[assignment]


# ---------------------------------------------------------------- one file


class Text:
    """A file's text with edits by position; positions as `ast` gives them (UTF-8 columns)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [f"{line}\n" for line in text.split("\n")]  # as Python counts them
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.edits: dict[tuple[int, int], str] = {}

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def replace(self, start: int, end: int, new: str) -> None:
        if self.text[start:end] == new:
            return
        known = self.edits.get((start, end))
        if known is not None and known != new:
            raise Wrong(f"two edits of {self.text[start:end]!r}: {known!r} and {new!r}")
        self.edits[start, end] = new

    def done(self) -> str:
        out, at = [], 0
        for (start, end), new in sorted(self.edits.items()):
            if start < at:
                raise Wrong(f"edits overlap at {self.text[start - 20:end + 20]!r}")
            out += [self.text[at:start], new]
            at = end
        return "".join([*out, self.text[at:]])


class World:
    """All files, and where each name of a module leads."""

    def __init__(self, repo: Path, tables: Tables, files: list[str]) -> None:
        self.repo, self.tables, self.files = repo, tables, files
        self.moved = moves(tables, files)
        self.texts: dict[str, Text] = {}
        self.trees: dict[str, ast.Module] = {}
        self.readers: dict[str, Reader] = {}
        self.modules: dict[str, str] = {}
        self.conflicts: list[str] = []
        for path in files:
            if not path.endswith(".py") or path.startswith(DATA):
                continue
            text = (repo / path).read_text(encoding="utf-8")
            self.texts[path] = Text(text)
            self.trees[path] = ast.parse(text)
            name = module_of(path)
            self.modules[name] = path
            self.readers[path] = Reader(name, self.trees[path])
        self.known = set(self.modules) | {m.rsplit(".", n)[0] for m in self.modules for n in range(1, m.count(".") + 1)}
        unknown = [s for s in tables.symbols if not self._defines(s)]
        if unknown:
            raise Wrong("symbols of the table that the tree does not define:\n  " + "\n  ".join(unknown))

    def _defines(self, symbol: str) -> bool:
        module, name = symbol.rsplit(".", 1)
        return module in self.modules and any(kind in {"def", "var"} for kind, _ in self.readers[self.modules[module]].top.bound.get(name, []))

    def canonical(self, target: str) -> str:
        """Follow re-exports: the module that defines what a dotted name leads to."""
        seen = set()
        while target not in seen:
            seen.add(target)
            parts = target.split(".")
            for cut in range(len(parts) - 1, 0, -1):
                module = ".".join(parts[:cut])
                if module in self.modules:
                    bound = self.readers[self.modules[module]].top.bound.get(parts[cut], [])
                    leads = {goal for kind, goal in bound if kind == "import"}
                    if f"{module}.{parts[cut]}" in self.known:
                        break
                    if len(leads) == 1 and all(kind == "import" for kind, _ in bound):
                        target = ".".join([leads.pop(), *parts[cut + 1:]])
                    break
        return target

    def target(self, scope: Scope, name: str) -> str | None:
        """What a name that is bound once by import or definition leads to."""
        found = scope.lookup(name)
        if found is None:
            return None
        goals = {goal for _, goal in found.bound[name]}
        return goals.pop() if len(goals) == 1 and "" not in goals else None

    def new_module(self, old: str) -> str | None:
        if old in self.tables.modules:
            return self.tables.modules[old]
        if old in self.tables.packages:
            return self.tables.packages[old]
        path = self.modules.get(old)
        if path in self.moved:  # helpers of tests
            return module_of(self.moved[path])
        return None

    def new_name(self, target: str) -> str | None:
        """The new simple name of what a dotted name leads to; None if it keeps its own."""
        if target in self.known:
            new = self.new_module(target)
            return new.rsplit(".", 1)[1] if new and new.rsplit(".", 1)[1] != target.rsplit(".", 1)[1] else None
        goal = self.canonical(target)
        if goal in self.tables.symbols:
            return self.tables.symbols[goal] if goal.rsplit(".", 1)[1] == target.rsplit(".", 1)[1] else None
        return None

    # -------- rewriting

    def rewrite(self, path: str) -> None:
        self._rewrite(path, self.texts[path], self.readers[path])

    def _rewrite(self, path: str, text: Text, reader: Reader) -> None:
        for node, scope in reader.imports:
            self._import(path, text, node, scope)
        renamed: dict[tuple[int, str], str] = {}
        for node, scope in reader.uses:
            new = self._renamed(scope, node.id)
            if new:
                start = text.at(node.lineno, node.col_offset)
                if text.text[start:start + len(node.id)] != node.id:
                    self.conflicts.append(f"{path}:{node.lineno}: {node.id} is not where Python has it")
                    continue
                text.replace(start, start + len(node.id), new)
                self._clash(path, node, scope, new)
        for declared, scope in reader.declared:
            for name in declared.names:
                if self._renamed(reader.top, name):
                    self.conflicts.append(f"{path}:{declared.lineno}: global {name}")
        for node, name, scope in reader.defs:
            new = self._renamed(scope, name) if scope is reader.top else None
            if new:
                self._name_of_def(text, node, name, new)
        for node, scope in reader.attributes:
            self._attribute(text, node, scope)
        for call, scope in reader.calls:
            self._by_name(path, text, call, scope)
        for pair, scope in reader.pairs:  # (module or class, "name")
            base = self._chain(pair.elts[0], scope)
            name = pair.elts[1]
            new = None
            if base in self.known:
                new = self.new_name(f"{base}.{name.value}")
            elif base:
                new = self.tables.members.get(f"{self.canonical(base)}.{name.value}")
            if new:
                self._string_literal(text, name, new)
        for node in reader.exported:
            new = self._renamed(reader.top, str(node.value))
            if new:
                self._string_literal(text, node, new)
        self._strings(path, text)

    def _renamed(self, scope: Scope, name: str) -> str | None:
        found = scope.lookup(name)
        if found is None:
            return None
        news = set()
        for kind, goal in found.bound[name]:
            if not goal:
                news.add(None)
            elif kind == "import":
                last = goal.rsplit(".", 1)[-1]  # a binding under another name keeps that
                news.add(self.new_name(goal) if last == name and "." in goal else None)
            else:
                news.add(self.tables.symbols.get(goal))
        if len(news) > 1:
            self.conflicts.append(f"{name} is bound in several ways: {found.bound[name]}")
        return next(iter(news)) if len(news) == 1 else None

    def _clash(self, path: str, node: ast.Name, scope: Scope, new: str) -> None:
        other = scope.lookup(new)
        home = scope.lookup(node.id)
        if other is not None and home is not None:
            inner: Scope | None = scope
            while inner is not None:
                if inner is other:
                    still = {goal for _, goal in other.bound[new]}
                    if self._renamed(other, new) in {None, new}:
                        self.conflicts.append(f"{path}:{node.lineno}: {node.id} -> {new}, which is bound already ({still or 'local'})")
                    return
                if inner is home:
                    return
                inner = inner.parent
        if hasattr(builtins, new) and not hasattr(builtins, node.id):
            self.conflicts.append(f"{path}:{node.lineno}: {node.id} -> {new}, a builtin")

    def _name_of_def(self, text: Text, node: ast.AST, name: str, new: str) -> None:
        start = text.at(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        match = re.compile(rf"(?:async\s+)?(?:class|def)\s+{name}\b").search(text.text, start)
        assert match
        text.replace(match.end() - len(name), match.end(), new)

    def _chain(self, node: ast.expr, scope: Scope) -> str | None:
        if isinstance(node, ast.Name):
            return self.target(scope, node.id)
        if isinstance(node, ast.Attribute):
            base = self._chain(node.value, scope)
            return f"{base}.{node.attr}" if base else None
        return None

    def _attribute(self, text: Text, node: ast.Attribute, scope: Scope) -> None:
        whole = self._chain(node, scope)
        if whole is None or getattr(node, "seen", False):
            return
        base = whole.rsplit(".", 1)[0]
        if whole in self.known and isinstance(node.value, ast.Name | ast.Attribute):
            # app.rooms.desk written out, bound by `import app.rooms.desk`
            new = self.new_module(whole)
            root = node
            while isinstance(root, ast.Attribute):
                root.seen = True  # type: ignore[attr-defined]
                root = root.value  # type: ignore[assignment]
            assert isinstance(root, ast.Name)
            if new and root.id == whole.split(".")[0]:
                start, end = text.at(node.lineno, node.col_offset), text.at(node.end_lineno or 0, node.end_col_offset or 0)
                text.replace(start, end, new)
            elif new:
                self.conflicts.append(f"module {whole} reached by another module")
            return
        if base in self.known:
            new = self.new_name(whole)
            if new:
                end = text.at(node.end_lineno or 0, node.end_col_offset or 0)
                text.replace(end - len(node.attr), end, new)

    def _by_name(self, path: str, text: Text, call: ast.Call, scope: Scope) -> None:
        """`setattr(module, "name", ...)` and its kin."""
        called = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
        first = call.args[0] if call.args else None
        if called == "cast" and isinstance(first, ast.Constant) and isinstance(first.value, str):
            new = re.sub(r"\w+", lambda m: self._renamed(scope, m[0]) or m[0], first.value)
            self._string_literal(text, first, new)
            return
        if called not in {"setattr", "getattr", "delattr", "hasattr"} or len(call.args) < 2:
            return
        thing, name = call.args[:2]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            base = self._chain(thing, scope)
            new = self.new_name(f"{base}.{name.value}") if base in self.known else None
            if new:
                self._string_literal(text, name, new)

    def _string_literal(self, text: Text, node: ast.Constant, new: str) -> None:
        start, end = text.at(node.lineno, node.col_offset), text.at(node.end_lineno or 0, node.end_col_offset or 0)
        literal = text.text[start:end]
        assert str(node.value) in literal, literal
        text.replace(start, end, literal.replace(str(node.value), new))

    # -------- imports

    def _import(self, path: str, text: Text, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        start, end = text.at(node.lineno, node.col_offset), text.at(node.end_lineno or 0, node.end_col_offset or 0)
        if isinstance(node, ast.Import):
            if not any(self.new_module(alias.name) for alias in node.names):
                return
            names = [f"{self.new_module(a.name) or a.name}{f' as {a.asname}' if a.asname else ''}" for a in node.names]
            text.replace(start, end, f"import {', '.join(names)}")
            return
        if node.level or not node.module:
            return
        groups: dict[str, list[str]] = {}
        changed = False
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            if full in self.known:
                new = self.new_module(full) or full
                place, name = new.rsplit(".", 1)
            else:
                place = self.new_module(node.module) or node.module
                name = self.new_name(full) or alias.name
            changed = changed or (place, name) != (node.module, alias.name)
            last = f" as {alias.asname}" if alias.asname and alias.asname != name else ""
            if alias.asname == alias.name:  # exported again
                last = f" as {name}"
            if not alias.asname and name != alias.name and self._renamed(scope, alias.name) != name:
                last = f" as {alias.name}"  # bound in another way too: it keeps its name here
            groups.setdefault(place, []).append(name + last)
        if not changed:
            return
        line_end = text.text.find("\n", end)
        comment = text.text[end:line_end] if line_end >= 0 else ""
        indent = " " * node.col_offset
        lines = [f"from {place} import {', '.join(names)}" for place, names in groups.items()]
        alone = not text.text[text.starts[node.lineno - 1]:start].strip() and not comment.strip().startswith(";")
        text.replace(start, end, (f"{comment}\n{indent}" if alone else "; ").join(lines))

    # -------- strings, comments, documents

    def _strings(self, path: str, text: Text) -> None:
        for token in tokenize.generate_tokens(io.StringIO(text.text).readline):
            if token.type not in {tokenize.STRING, tokenize.COMMENT}:
                continue
            start = text.starts[token.start[0] - 1] + token.start[1]
            end = text.starts[token.end[0] - 1] + token.end[1]
            if any(start <= s and e <= end for s, e in text.edits):
                continue
            program = self._program(path, token.string) if token.type == tokenize.STRING else None
            if program is None:
                program = self.prose(token.string, path)
                if token.type == tokenize.COMMENT or token.string.startswith('"""'):
                    program = self._class_names(program, self.readers[path].top, comment=token.type == tokenize.COMMENT) if path in self.readers else program
            text.replace(start, end, program)

    def _class_names(self, text: str, scope: Scope, *, comment: bool) -> str:
        """Old names of classes in a comment or docstring, where they are surely that."""

        def renamed(match: re.Match[str]) -> str:
            name = match[0]
            before = text[:match.start()]
            sure = re.search(r"[a-z][A-Z]", name) or re.search(r"Raises? $|`$|\[$", before) or (comment and not re.search(r"#:? $|[.:] $", before))
            if not sure:
                return name
            here = self._renamed(scope, name)
            everywhere = {new for old, new in self.tables.symbols.items() if old.rsplit(".", 1)[1] == name}
            defined = scope.lookup(name) is not None
            return here or (everywhere.pop() if len(everywhere) == 1 and not defined else name)

        return re.sub(r"(?<![\w.])[A-Z]\w+", renamed, text)

    def _program(self, path: str, literal: str) -> str | None:
        """A string that is a program of its own, rewritten as one; None if it is none."""
        match = re.fullmatch(r"([rR]?)(\"\"\"|\'\'\'|\"|\')(.*)\2", literal, re.S)
        if not match or not re.search(r"\b(?:from|import) (?:app|kb|snippets|tests)\b|\b(?:window|workspace)\.", literal):
            return None
        body, raw = match[3], bool(match[1])
        places, value = [], ""  # where in the literal each character of its value begins
        for piece in re.finditer(r"\\(?:\n|x..|u....|.)|.", body, re.S):
            meant = piece[0] if raw else ast.literal_eval(f'"""{piece[0]}"""' if piece[0] != '"' else "'\"'")
            value += meant
            places += [piece.start()] * len(meant)
        places.append(len(body))
        if value != ast.literal_eval(literal):
            return None
        try:
            tree = ast.parse(value)
        except SyntaxError:
            return None
        inner, reader = Text(value), Reader("a string", tree)
        if self.tables.members:
            import members  # noqa: PLC0415

            windows = re.search(r"class \w+\(.*[wW]indow", value)
            for node, _ in reader.attributes:
                base = node.value
                receiver = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
                receiver = "window" if receiver == "self" and windows else receiver
                new = members.guess(self, receiver, node.attr)
                if new:
                    end = inner.at(node.end_lineno or 0, node.end_col_offset or 0)
                    inner.replace(end - len(node.attr), end, new)
        self._rewrite(f"{path} (a program in it)", inner, reader)
        outer = Text(body)
        for (start, end), new in inner.edits.items():
            outer.edits[places[start], places[end]] = new if len(match[2]) == 3 else new.replace("\n", "\\n")
        return f"{match[1]}{match[2]}{outer.done()}{match[2]}"

    def dotted(self, name: str) -> str:
        parts = name.split(".")
        for cut in range(len(parts), 1, -1):
            old = ".".join(parts[:cut])
            if old in self.known:
                new = self.new_module(old) or old
                rest = parts[cut:]
                if rest:
                    goal = self.canonical(f"{old}.{rest[0]}")
                    first = self.tables.symbols.get(goal, rest[0])
                    if len(rest) > 1:
                        rest[1] = self.tables.members.get(f"{goal}.{rest[1]}", rest[1])
                    rest = [first, *rest[1:]]
                return ".".join([new, *rest])
        return name

    def prose(self, text: str, where: str = "") -> str:
        def imported(match: re.Match[str]) -> str:
            place, names = match["place"], [one.strip() for one in match["names"].split(",")]
            groups: dict[str, list[str]] = {}
            for name in names:
                plain, _, alias = name.partition(" as ")
                full = f"{place}.{plain}"
                if full in self.known:
                    new_place, new = (self.new_module(full) or full).rsplit(".", 1)
                else:
                    new_place, new = self.new_module(place) or place, self.new_name(full) or plain
                if new != plain and not alias:
                    self.conflicts.append(f"code in a string uses {plain}, now {new}: see to {where}: {text[:80]!r}")
                groups.setdefault(new_place, []).append(new + (f" as {alias}" if alias else ""))
            return "; ".join(f"from {where} import {', '.join(those)}" for where, those in groups.items())

        def path(match: re.Match[str]) -> str:
            found = match[0]
            if found in self.moved:
                return self.moved[found]
            if f"{found}.py" in self.moved:
                return self.moved[f"{found}.py"][:-3]
            for old, new in sorted(self.folders.items(), key=lambda pair: -len(pair[0])):
                if found == old or found.startswith(f"{old}/"):
                    return new + found[len(old):]
            return found

        tops = "(?:app|kb|snippets|tests)"
        one = re.compile(
            rf"\bfrom (?P<place>{tops}(?:\.\w+)*) import (?P<names>\w+(?: as \w+)?(?:, *\w+(?: as \w+)?)*)"
            rf"|(?<![\w.-])(?<!\w/)(?P<dotted>{tops}(?:\.\w+)+)(?!/)"
            rf"|(?<![\w.-])(?<!\w/)(?P<path>{tops}(?:/\w+)+(?:\.(?:py|txt))?)"
        )
        return one.sub(lambda m: imported(m) if m["place"] else self.dotted(m[0]) if m["dotted"] else path(m), text)

    @property
    def folders(self) -> dict[str, str]:
        folders = {old: new for old, new in self.tables.paths.items() if (self.repo / old).is_dir()}
        for old, new in self.tables.packages.items():
            folders[old.replace(".", "/")] = new.replace(".", "/")
            folders["tests/" + old.replace(".", "/")] = "tests/" + new.replace(".", "/")
        return folders


# ---------------------------------------------------------------- the whole


def deeper(text: str, delta: int) -> str:
    """`Path(__file__).parents[2]` of a file that now lies deeper."""
    if not delta:
        return text
    text = re.sub(r"(Path\(__file__\)(?:\.resolve\(\))?\.parents\[)(\d)\]", lambda m: f"{m[1]}{int(m[2]) + delta}]", text)
    text = re.sub(r"Path\(__file__\)\.parent\.parent\b", f"Path(__file__).parents[{1 + delta}]", text)
    return re.sub(r"Path\(__file__\)\.parent\b", f"Path(__file__).parents[{delta}]", text)


def patches(repo: Path) -> None:
    """Edits by hand, in words of the new tree: files PATH, then pairs of old and new text."""
    space: dict[str, list[tuple[str, str, str]]] = {}
    exec((HERE / "patches.py").read_text(encoding="utf-8"), space)  # noqa: S102
    wrong = []
    for path, old, new in space["PATCHES"]:  # type: ignore[misc]
        file = repo / path
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if old.startswith("*"):  # everywhere in the file, if it is there
            if text:
                file.write_text(text.replace(old[1:], new), encoding="utf-8")
            continue
        optional = old.startswith("?")
        old = old.removeprefix("?")
        if text.count(old) != 1 and not optional:
            wrong.append(f"{path}: {text.count(old)} times: {old!r}")
        elif old in text:
            file.write_text(text.replace(old, new), encoding="utf-8")
    if wrong:
        raise Wrong("patches that do not fit:\n  " + "\n  ".join(wrong))


def contracts(repo: Path) -> None:
    file = repo / "pyproject.toml"
    text = file.read_text(encoding="utf-8")
    start = text.index("[tool.importlinter]")
    following = re.compile(r"^\[tool\.(?!importlinter)", re.M).search(text, start)
    end = following.start() if following else len(text)
    new = (HERE / "contracts.toml").read_text(encoding="utf-8").strip() + "\n"
    file.write_text(text[:start] + new + ("\n" if following else "") + text[end:], encoding="utf-8")


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("repo", type=Path)
    arguments.add_argument("--no-members", action="store_true", help="leave methods and attributes (no mypy run)")
    arguments.add_argument("--no-format", action="store_true")
    asked = arguments.parse_args()
    repo = asked.repo.resolve()
    if git(repo, "status", "--porcelain").strip():
        raise Wrong("the checkout is not clean")
    files = git(repo, "ls-files").splitlines()
    tables = load(repo, files)
    world = World(repo, tables, files)
    if not asked.no_members and tables.members:
        import members  # noqa: PLC0415

        members.rename(world)
    for path in world.texts:
        world.rewrite(path)
    if world.conflicts:
        print("CONFLICTS:", *sorted(set(world.conflicts)), sep="\n  ")
    for path, text in world.texts.items():
        new = text.done()
        delta = world.moved.get(path, path).count("/") - path.count("/")
        new = deeper(new, delta)
        if new != text.text:
            (repo / path).write_text(new, encoding="utf-8")
    for path in files:
        if path.endswith((".md", ".toml", ".yml", ".yaml")) or path in {"Makefile", ".gitignore", ".ci/run"} or path.startswith("scripts/"):
            if path in world.texts or path.startswith(DATA):
                continue
            old = (repo / path).read_text(encoding="utf-8")
            new = world.prose(old)
            if new != old:
                (repo / path).write_text(new, encoding="utf-8")
    for old, new in world.moved.items():
        (repo / new).parent.mkdir(parents=True, exist_ok=True)
    done = set()
    for old, new in tables.paths.items():
        if (repo / old).is_dir():
            for path in [p for p in files if p.startswith(f"{old}/")]:
                (repo / world.moved[path]).parent.mkdir(parents=True, exist_ok=True)
                git(repo, "mv", path, world.moved[path])
                done.add(path)
    # Two steps, as one module may take the name that another gives up.
    rest = {old: new for old, new in world.moved.items() if old not in done}
    for old, new in rest.items():
        git(repo, "mv", old, f"{new}.moving")
    for new in rest.values():
        git(repo, "mv", f"{new}.moving", new)
    for package in sorted({str(Path(new).parent) for new in tables.modules.values() for new in [new.replace(".", "/") + ".py"]}):
        init = repo / package / "__init__.py"
        if not init.exists():
            words = {name: " ".join(rest) for name, *rest in rows("package_docs.txt")}
            name = package.replace("/", ".")
            init.write_text(f'"""{words[name]}"""\n' if words.get(name) else "", encoding="utf-8")
            git(repo, "add", str(init))
    for folder in sorted({str(Path(old).parent) for old in rest}, key=len, reverse=True):
        cache = repo / folder
        if cache.is_dir() and not git(repo, "ls-files", folder).strip():
            subprocess.run(["rm", "-rf", str(cache)], check=True)
    contracts(repo)
    patches(repo)
    for note in tables.notes:
        print(note)
    if not asked.no_format:
        finish(repo)


def finish(repo: Path) -> None:
    """Sort imports, format; where a line kept together by hand is too long now, let the formatter have it."""
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--fix", "--quiet", "--select", "I", "."], cwd=repo, check=False)
    subprocess.run([*ruff, "format", "--quiet", "."], cwd=repo, check=True)
    subprocess.run([*ruff, "check", "--fix", "--quiet", "--exit-zero", "."], cwd=repo, check=False)
    for _ in range(3):
        shown = subprocess.run([*ruff, "check", "--select", "E501,RUF100", "--output-format", "concise", "."], cwd=repo, check=False, capture_output=True, text=True).stdout
        freed = 0
        for match in re.finditer(r"^(\S+?):(\d+):\d+: E501", shown, re.M):
            file = repo / match[1]
            lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
            for at in range(int(match[2]) - 1, min(int(match[2]) + 9, len(lines))):
                if "# fmt: skip" in lines[at]:  # of this line, or at the end of the statement that it is in
                    lines[at] = re.sub(r"\s*# fmt: skip", "", lines[at])
                    file.write_text("".join(lines), encoding="utf-8")
                    freed += 1
                    break
        if not freed:
            break
        subprocess.run([*ruff, "format", "--quiet", "."], cwd=repo, check=True)
    subprocess.run([*ruff, "check", "--fix", "."], cwd=repo, check=False)
    subprocess.run([*ruff, "format", "--quiet", "."], cwd=repo, check=True)


if __name__ == "__main__":
    try:
        main()
    except Wrong as error:
        sys.exit(f"rename: {error}")
