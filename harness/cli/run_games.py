"""The parts of a run put together: lock, store, log, executor, preflight, director."""

from __future__ import annotations

import sys
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from harness.cli.progress import progress_observer
from harness.director.director import Director, notices
from harness.director.events import Observer, RunEnded
from harness.director.interrupt import Interrupt
from harness.director.lock import run_lock
from harness.director.preflight import greet_all, identities
from harness.director.run_log import run_log
from harness.director.sequential_watch import SequentialWatch
from harness.director.settled import read_settled
from harness.errors import InputError
from harness.execution.base import Executor
from harness.execution.local import LocalExecutor
from harness.execution.serial import SerialExecutor
from harness.execution.slots import physical_cores, slot_count
from harness.store.sqlite import Store
from harness.tournament.conditions import bot_conditions, conditions
from harness.tournament.config import spec_to_toml
from harness.tournament.distinct_openings import DistinctOpenings
from harness.tournament.opening_announcement import AnnouncedOpenings
from harness.tournament.openings import OpeningList, opening_list
from harness.tournament.pairing import most_pairs
from harness.tournament.schedule import Schedule
from harness.tournament.spec import TournamentSpec


class Played(NamedTuple):
    """How a run ended, and the sequential test that went beside it, if there was one."""

    ended: RunEnded
    watch: SequentialWatch | None


def _openings_of(spec: TournamentSpec) -> OpeningList:
    """Return the openings of a tournament; of a sequential test none that reaches one before it."""
    openings = opening_list(spec.openings, spec.rules, spec.seed, most_pairs(spec))
    return openings if spec.test is None else DistinctOpenings(openings, spec.openings)


def _capped(spec: TournamentSpec, distinct: int) -> TournamentSpec:
    """Lower the cap of a test to the number of openings: none is played twice."""
    if distinct >= spec.rounds:
        return spec
    openings = "is 1 opening" if distinct == 1 else f"are {distinct} different openings"
    click.echo(
        f"note: there {openings}, and none is played twice: the test ends after {distinct} "
        f"pair{'' if distinct == 1 else 's'} at the latest",
        err=True,
    )
    return replace(spec, rounds=distinct)


def run_games(
    spec: TournamentSpec,
    folder: Path,
    *,
    is_serial: bool = False,
    is_debug: bool = False,
    accept_changed: Collection[str] = (),
) -> Played:
    """Play what is missing of a tournament into its folder, showing how it goes on."""
    unknown = sorted(set(accept_changed) - {bot.name for bot in spec.bots})
    if unknown:
        names = ", ".join(bot.name for bot in spec.bots)
        raise InputError(f"--accept-changed {unknown[0]}: no bot is called so; there are {names}")
    slots = slot_count(spec.bots, spec.slots, physical_cores(), force=spec.force)
    openings = _openings_of(spec)
    openings[0]  # an openings file with problems is refused before anything is made
    if spec.test is not None:
        spec = _capped(spec, openings.distinct)
    found = identities(spec.bots)
    with ExitStack() as stack:
        stack.enter_context(run_lock(folder))
        store = stack.enter_context(Store.create_or_open(folder))
        watch = None
        texts = store.begin(
            spec.name,
            spec_to_toml(spec),
            conditions(spec, openings.identity),
            found,
            {bot.name: bot_conditions(bot) for bot in spec.bots},
            accept_changed=accept_changed,
        )
        if spec.test is not None:
            watch = SequentialWatch(spec, store)
        observer = progress_observer(store, watch)
        stack.enter_context(observer)
        observers: list[Observer] = [observer]
        schedule = Schedule.of(spec, read_settled(spec, store))
        texts += _reschedule(schedule, store)
        notice = openings.notice(most_pairs(spec))
        if notice is None:
            openings = AnnouncedOpenings(
                openings, most_pairs(spec), lambda text: notices([text], observers)
            )
        notices([*texts, *([notice] if notice else [])], observers)
        if watch is not None and watch.is_decided:
            click.echo(f"the test is decided: {store.count()} games are stored", err=True)
            ended = RunEnded(schedule.planned, store.count(), 0, (), None, is_decided=True)
        elif schedule.is_complete:
            ended = _nothing_to_play(schedule, store)
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
                decider=watch,
            )
            ended = director.run()
    return Played(ended, watch)


def _reschedule(schedule: Schedule, store: Store) -> list[str]:
    surplus = store.reschedule(schedule.index_of)
    if not surplus:
        return []
    if schedule.spec.format.depends_on_results and not schedule.is_complete:
        return [f"{surplus} stored games are in no round that is known yet; they stay and count"]
    return [f"{surplus} stored games are no longer asked for; they stay and count"]


def _nothing_to_play(schedule: Schedule, store: Store) -> RunEnded:
    planned, stored = schedule.planned, schedule.count(store.stored_ids())
    walked_over = planned - stored
    others = f", {walked_over} others are walked over" if walked_over else ""
    click.echo(f"all {stored} games are stored{others}: nothing to play", err=True)
    return RunEnded(planned, stored, 0, (), None, walked_over)


def _print_traffic(bot: str, direction: str, line: bytes) -> None:
    from harness.report.safe_text import printable

    sys.stderr.write(f"{bot} {direction} {printable(line.decode('utf-8', 'replace'))}\n")
