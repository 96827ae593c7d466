"""The parts of a run put together: lock, store, log, executor, preflight, director, table."""

from __future__ import annotations

import sys
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path

import click

from harness.cli.evidence import analyse_evidence, read_evidence
from harness.cli.progress import progress_observer
from harness.cli.report import write_report_of
from harness.cli.standings import show_analysis
from harness.director.director import Director, notices
from harness.director.events import Observer, RunEnded
from harness.director.interrupt import Interrupt
from harness.director.lock import run_lock
from harness.director.preflight import greet_all, identities
from harness.director.run_log import run_log
from harness.errors import InputError
from harness.execution.base import Executor
from harness.execution.local import LocalExecutor
from harness.execution.serial import SerialExecutor
from harness.execution.slots import physical_cores, slot_count
from harness.store.sqlite import Store
from harness.tournament.conditions import bot_conditions, conditions
from harness.tournament.config import spec_to_toml
from harness.tournament.openings import opening_list
from harness.tournament.pairing import next_batch
from harness.tournament.spec import TournamentSpec


def play_tournament(
    spec: TournamentSpec,
    folder: Path,
    *,
    is_serial: bool,
    is_debug: bool,
    has_report: bool,
    accept_changed: Collection[str],
) -> int:
    """Play a tournament into its folder, show the table, and return the exit code."""
    unknown = sorted(set(accept_changed) - {bot.name for bot in spec.bots})
    if unknown:
        names = ", ".join(bot.name for bot in spec.bots)
        raise InputError(f"--accept-changed {unknown[0]}: no bot is called so; there are {names}")
    slots = slot_count(spec.bots, spec.slots, physical_cores(), force=spec.force)
    openings = opening_list(spec.openings, spec.rules, spec.seed, spec.rounds)
    openings[0]  # an openings file with problems is refused before anything is made
    found = identities(spec.bots)
    with ExitStack() as stack:
        stack.enter_context(run_lock(folder))
        store = stack.enter_context(Store.create_or_open(folder))
        observer = progress_observer(store)
        stack.enter_context(observer)
        observers: list[Observer] = [observer]
        texts = store.begin(
            spec.name,
            spec_to_toml(spec),
            conditions(spec, openings.identity),
            found,
            {bot.name: bot_conditions(bot) for bot in spec.bots},
            accept_changed=accept_changed,
        )
        texts += _reschedule(spec, store)
        notice = openings.notice(spec.rounds)
        texts += [notice] if notice else []
        notices(texts, observers)
        if _is_complete(spec, store):
            ended = _nothing_to_play(spec)
        else:
            log_queue = stack.enter_context(run_log(folder / "run.log"))
            interrupt = stack.enter_context(Interrupt())
            executor: Executor
            if is_serial or is_debug:
                trace = _print_traffic if is_debug else None
                executor = SerialExecutor(interrupt.fd, trace)
            else:
                executor = LocalExecutor(slots, interrupt.fd, log_queue)
            stack.callback(executor.withdraw)
            preflight = greet_all(
                spec.bots, spec.rules, executor, lambda: interrupt.received is not None
            )
            notices([str(warning) for warning in preflight.warnings], observers)
            director = Director(
                spec,
                store,
                executor,
                openings,
                found,
                interrupt,
                observers,
                set_aside=preflight.set_aside,
                game_limit=1 if is_debug else None,
            )
            ended = director.run()
    return _show_end(folder, ended, is_debug=is_debug, has_report=has_report)


def _reschedule(spec: TournamentSpec, store: Store) -> list[str]:
    batch = next_batch(spec, 0)
    assert batch is not None
    surplus = store.reschedule(batch.index_of)
    if not surplus:
        return []
    return [f"{surplus} stored games are no longer asked for; they stay and count"]


def _is_complete(spec: TournamentSpec, store: Store) -> bool:
    batch = next_batch(spec, 0)
    assert batch is not None
    return sum(batch.index_of(game_id) is not None for game_id in store.stored_ids()) == len(batch)


def _nothing_to_play(spec: TournamentSpec) -> RunEnded:
    batch = next_batch(spec, 0)
    assert batch is not None
    click.echo(f"all {len(batch)} games are stored: nothing to play", err=True)
    return RunEnded(len(batch), len(batch), 0, (), None)


def _show_end(folder: Path, ended: RunEnded, *, is_debug: bool, has_report: bool) -> int:
    if ended.interrupted_by is not None:
        click.echo(
            f"stopped: {ended.finished} of {ended.planned} games are stored in {folder}; "
            "the same command goes on",
            err=True,
        )
        return 128 + ended.interrupted_by
    if ended.finished and not is_debug:
        evidence = read_evidence([folder])
        analysis = analyse_evidence(evidence)
        show_analysis(analysis)
        if has_report:
            write_report_of(evidence, analysis, folder / "report")
            click.echo(f"Report: {folder / 'report' / 'report.md'} (tables and plots beside it)")
    for bot, why in ended.set_aside:
        click.echo(f"{bot} was set aside: {why}", err=True)
    if is_debug:
        return 3 if ended.set_aside else 0
    if ended.open_games:
        click.echo(
            f"{ended.open_games} of {ended.planned} games stay open; the same command tries "
            "them again",
            err=True,
        )
    return 3 if ended.open_games or ended.set_aside else 0


def _print_traffic(bot: str, direction: str, line: bytes) -> None:
    from harness.report.safe_text import printable

    sys.stderr.write(f"{bot} {direction} {printable(line.decode('utf-8', 'replace'))}\n")
