"""The commands that run and verify code, and list past runs."""

# Modules that load slowly (Whoosh, Markdown, the ledger) are imported by the command that needs them.
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from app.cli import command_options
from app.cli.console import remark, say_json, say_table
from app.cli.exit_codes import FAILED, BadUsage
from app.cli.vault_option import open_vault
from app.notebook import vault_snippets


def snippets(*, vault: command_options.Vault = None, as_json: command_options.Json = False) -> None:
    """List what can be run: the shipped snippets, the vault's, and the python blocks of its notes."""
    from app.cli.console_run import open_ledger
    from app.cli.reports import problem_document, snippet_document
    from snippets.targets.devices import devices as known_devices

    opened, places = open_vault(vault)
    stock = vault_snippets.stock(opened)
    with open_ledger(places) as ledger:
        standings = ledger.standings(stock.snippets, present=known_devices())
    rows = [snippet_document(snippet, standings[snippet.name].status) for snippet in stock.snippets]
    rows += [problem_document(problem) for problem in stock.problems]
    say_json(rows) if as_json else say_table("name devices status path", rows)


def run(
    target: Annotated[str, typer.Argument(metavar="NAME|FILE.py|NOTE#ID", help="What to run.")],
    args: Annotated[list[str] | None, typer.Argument(metavar="[-- ARGS...]", help="What it is given.")] = None,
    *,
    device: command_options.EveryDevice = "cpu",
    python: command_options.Python = None,
    timeout: command_options.Timeout = None,
    threads: command_options.Threads = None,
    env: command_options.Variables = None,
    blocking: command_options.Blocking = False,
    isolate: command_options.Isolate = None,
    repeat: command_options.Repeat = 1,
    vault: command_options.Vault = None,
    as_json: command_options.Json = False,
) -> None:
    """Run a snippet; exits as it did, or with 124 when its time ran out."""
    from app.cli import all_devices
    from app.cli.console_run import run_each
    from app.cli.run_isolation import decide_isolation, is_own_file
    from snippets.running.run_variables import variables
    from snippets.running.runner import RunRequest

    if device == all_devices.ALL and repeat > 1:
        raise BadUsage("Give either --device all or --repeat.")
    opened, places = open_vault(vault)
    snippet = vault_snippets.find(opened, target)
    request = RunRequest(
        snippet,
        device=device,
        python=python,
        timeout=timeout,
        isolate=decide_isolation(isolate, own_file=is_own_file(target), quiet=as_json),
        vault=opened.root,
        args=tuple(args or ()),
        environment=variables(threads=threads, blocking=blocking, given=env or ()),
    )
    if device == all_devices.ALL:
        outcomes = all_devices.run_on_all_devices(request, places)
        say_json(all_devices.document(outcomes)) if as_json else all_devices.say_side_by_side(outcomes)
        raise SystemExit(all_devices.exit_code(outcomes))
    outcomes = run_each(request, places, repeat=repeat, quiet=as_json)
    if as_json:
        documents = [outcome.document() for outcome in outcomes]
        say_json(documents[0] if repeat == 1 else {"runs": documents})
    raise SystemExit(next((code for outcome in outcomes if (code := outcome.command_exit_code)), 0))


def verify(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Snippets or notes [all].")] = None,
    *,
    device: command_options.Device = "cpu",
    python: command_options.Python = None,
    accept: command_options.Accept = False,
    stamp: command_options.Stamp = False,
    jobs: command_options.Jobs = None,
    junit: command_options.Junit = None,
    strict: command_options.Strict = False,
    isolate: command_options.Isolate = None,
    vault: command_options.Vault = None,
    as_json: command_options.Json = False,
) -> None:
    """Run snippets and compare with their recorded output; exits with 1 if a claim fails."""
    from app.cli.reports import say_verdicts
    from app.cli.run_isolation import decide_isolation, isolation_sentence
    from app.cli.vault_verification import Verification, verify_vault

    opened, places = open_vault(vault)
    asked = Verification(
        names or (),
        device=device,
        python=python,
        accept=accept,
        isolate=decide_isolation(isolate, quiet=as_json),
        stamp=stamp,
        jobs=jobs,
        junit=junit,
    )
    report = verify_vault(opened, places, asked)
    if as_json:
        say_json(report.document())
    else:
        say_verdicts(report)
        remark(isolation_sentence(isolated=asked.isolate))
    raise SystemExit(FAILED if report.failed or (strict and report.unavailable) else 0)


def runs(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Of one snippet only.")] = None,
    *,
    limit: command_options.Limit = 20,
    compare: command_options.Compare = None,
    pin: command_options.Pin = None,
    vault: command_options.Vault = None,
    as_json: command_options.Json = False,
) -> None:
    """List past runs, newest first; compare two, or pin the output of one. A part of a run's id is enough."""
    from app.cli.console_run import open_ledger
    from app.cli.reports import say_comparison, say_runs
    from app.runs.pin_output import pin as pin_run
    from snippets.results.run_comparison import compare_runs

    opened, places = open_vault(vault)
    with open_ledger(places) as ledger:
        if pin is not None:
            pinned = pin_run(opened, ledger, pin)
            say_json({"pinned": pinned.name, "path": pinned.origin}) if as_json else remark(f"Pinned: {pinned.name}")
        elif compare is not None:
            found = compare_runs(*(ledger.find(one) for one in compare))
            say_json(found.document()) if as_json else say_comparison(found)
        elif as_json:
            say_json([asdict(row) for row in ledger.recent(limit, name)])
        else:
            say_runs(ledger.listed(limit, name))


def devices(*, as_json: command_options.Json = False) -> None:
    """List what code can run on."""
    from snippets.targets.devices import devices as known_devices

    rows = [device.document() for device in known_devices()]
    say_json(rows) if as_json else say_table("id name memory_total memory_free load available reason", rows)
