"""The parts of a run put together: lock, store, log, executor, preflight, director."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.cli.progress import LiveProgress, PlainProgress, progress_observer, say
from harness.cli.run_settings import RunSettings
from harness.director.director import TRANSACTION_SECONDS, Director
from harness.director.event_stream import EventStream
from harness.director.events import Observer, RunBegan, RunEnded, tell_all
from harness.director.fault_log import FaultLog
from harness.director.interrupt import Interrupt
from harness.director.lock import run_lock
from harness.director.preflight import greet_all, identities
from harness.director.run_log import run_log
from harness.director.sequential_watch import SequentialWatch
from harness.director.settled import Resumption, resume
from harness.director.stop_request import StopRequest
from harness.errors import InputError
from harness.execution.base import Executor
from harness.execution.local import LocalExecutor
from harness.execution.placement import placement
from harness.execution.processor_claims import ProcessorClaims
from harness.execution.resources import (
    allow_descriptors,
    fair_share_mb,
    memory_warning,
    read_machine,
)
from harness.execution.serial import SerialExecutor
from harness.execution.slots import physical_cores, slot_count, usable_processors
from harness.store.sqlite import Store
from harness.tournament.conditions import bot_conditions, conditions
from harness.tournament.config import spec_to_toml
from harness.tournament.distinct_openings import DistinctOpenings
from harness.tournament.effective_bots import effective_bots
from harness.tournament.opening_announcement import AnnouncedOpenings
from harness.tournament.openings import OpeningList, opening_list
from harness.tournament.pairing import most_pairs
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
    say(
        f"note: there {openings}, and none is played twice: the test ends after {distinct} "
        f"pair{'' if distinct == 1 else 's'} at the latest"
    )
    return replace(spec, rounds=distinct)


def run_games(
    spec: TournamentSpec,
    folder: Path,
    settings: RunSettings,
    *,
    events: EventStream | None = None,
) -> Played:
    """Play what is missing of a tournament into its folder, showing how it goes on.

    ``events`` are opened here, once nobody else can run the tournament.
    """
    unknown = sorted(set(settings.accept_changed) - {bot.name for bot in spec.bots})
    if unknown:
        names = ", ".join(bot.name for bot in spec.bots)
        raise InputError(f"--accept-changed {unknown[0]}: no bot is called so; there are {names}")
    slots = slot_count(spec.bots, spec.slots, physical_cores(), force=spec.force)
    openings = _openings_of(spec)
    openings[0]  # an openings file with problems is refused before anything is made
    if spec.test is not None:
        spec = _capped(spec, openings.distinct)
    machine = read_machine()
    allow_descriptors(slots, machine)
    # What is stored is the specification as written; what is played has everything filled in.
    shares = fair_share_mb(len(spec.bots), slots, machine)
    playing = replace(spec, bots=effective_bots(spec, shares))
    found = identities(playing.bots)
    interrupt = Interrupt()
    with ExitStack() as stack:
        claims = stack.enter_context(ProcessorClaims())
        placed = placement(settings.affinity, slots, spec.bots, usable_processors(), claims)
        holder = stack.enter_context(run_lock(folder))
        store = stack.enter_context(Store.create_or_open(folder))
        watch = None
        terms = conditions(spec, openings.identity)
        texts = store.begin(
            spec.name,
            spec_to_toml(spec),
            terms,
            found,
            {bot.name: bot_conditions(bot, spec.pondering) for bot in spec.bots},
            accept_changed=settings.accept_changed,
        )
        if spec.test is not None:
            watch = SequentialWatch(spec, store)
        is_plain = events is not None and events.is_stdout and sys.stdout.isatty()
        observer = progress_observer(store, watch, is_plain=is_plain)
        stack.enter_context(observer)
        observers: list[Observer] = [observer]
        if events is not None:
            events.open()
            events.tell = partial(_tell_one, list(observers))
            observers.append(events)
        resumption = resume(spec, store)
        schedule = resumption.schedule
        texts += _surplus(resumption)
        warning = memory_warning(playing.bots, slots, machine)
        texts += [warning] if warning else []
        notice = openings.notice(most_pairs(spec))
        if notice is None:
            openings = AnnouncedOpenings(
                openings, most_pairs(spec), lambda text: tell_all([text], observers)
            )
        tell_all([*texts, *([notice] if notice else [])], observers)
        if watch is not None and watch.is_decided:
            say(f"the test is decided: {store.count()} games are stored")
            ended = RunEnded(schedule.planned, store.count(), 0, (), None, is_decided=True)
            _tell_nothing_to_play(events, spec, folder, ended, watch)
        elif schedule.is_complete:
            ended = _nothing_to_play(resumption)
            _tell_nothing_to_play(events, spec, folder, ended, watch)
        else:
            stack.enter_context(interrupt)
            log = stack.enter_context(run_log(folder / "run.log"))
            fault_log = FaultLog(log.file, partial(_tell_one, list(observers)))
            fault_log.begin(["loa", *sys.argv[1:]], terms)
            observers.append(fault_log)
            executor: Executor
            if settings.is_serial or settings.is_debug:
                trace = _print_traffic if settings.is_debug else None
                executor = SerialExecutor(interrupt.fd, trace)
                claims.release()  # this process stays where it is
            else:
                tell_all([placed.notice] if placed.notice else [], observers)
                executor = LocalExecutor(
                    slots, interrupt.fd, log.queue, processors=placed.processors
                )
            stack.callback(executor.withdraw)
            interrupt.before_leaving = partial(_leave_at_once, observer, executor, folder)
            stop = StopRequest(holder.folder, holder.token)
            try:
                set_aside = _greet(playing, executor, interrupt, stop, observers)
                ended = Director(
                    playing,
                    store,
                    executor,
                    openings,
                    found,
                    interrupt,
                    observers,
                    set_aside=set_aside,
                    game_limit=1 if settings.is_debug else None,
                    decider=watch,
                    is_stop_asked=lambda: stop.is_made,
                    has_transcripts=settings.has_transcripts,
                    # A wait of the serial executor is a game: nothing may wait beside it.
                    transaction_seconds=(
                        0 if isinstance(executor, SerialExecutor) else TRANSACTION_SECONDS
                    ),
                    resumption=resumption,
                ).run()
            except BaseException as error:
                fault_log.fail(error)
                raise
    if interrupt.received is not None and ended.interrupted_by is None:
        ended = replace(ended, interrupted_by=interrupt.received)  # it came at the very end
    return Played(ended, watch)


def _greet(
    spec: TournamentSpec,
    executor: Executor,
    interrupt: Interrupt,
    stop: StopRequest,
    observers: list[Observer],
) -> Sequence[tuple[str, str]]:
    """Greet every bot; returns those that are to be set aside, and why."""
    preflight = greet_all(
        spec.bots,
        spec.rules,
        executor,
        lambda: interrupt.received is not None or stop.is_made,
        partial(_tell_one, observers),
    )
    tell_all([str(warning) for warning in preflight.warnings], observers)
    return preflight.set_aside


def _tell_one(observers: list[Observer], text: str) -> None:
    tell_all([text], observers)


def _leave_at_once(
    observer: LiveProgress | PlainProgress, executor: Executor, folder: Path
) -> None:
    """Do what a second Ctrl-C leaves time for; runs in the signal handler."""
    for worker in multiprocessing.active_children():
        worker.kill()  # first of all: to write may wait for whoever reads
    observer.abandon()
    text = f"stopped at once: every game that was told of is stored in {folder}; "
    with suppress(OSError):
        os.write(2, f"{text}the same command goes on\n".encode(errors="backslashreplace"))
    if isinstance(executor, SerialExecutor):
        executor.withdraw()


def _tell_nothing_to_play(
    events: EventStream | None,
    spec: TournamentSpec,
    folder: Path,
    ended: RunEnded,
    watch: SequentialWatch | None,
) -> None:
    if events is None:
        return
    events.notice(RunBegan(spec, str(folder), ended.planned, ended.finished, 0))
    if watch is not None:
        events.notice(watch.state)


def _surplus(resumption: Resumption) -> list[str]:
    schedule, _, surplus = resumption
    if not surplus:
        return []
    if schedule.spec.format.depends_on_results and not schedule.is_complete:
        return [f"{surplus} stored games are in no round that is known yet; they stay and count"]
    return [f"{surplus} stored games are no longer asked for; they stay and count"]


def _nothing_to_play(resumption: Resumption) -> RunEnded:
    planned = resumption.schedule.planned
    stored, walked_over = resumption.schedule.count_settled(resumption.settled)
    others = f", {walked_over} others are walked over" if walked_over else ""
    say(f"all {stored} games are stored{others}: nothing to play")
    return RunEnded(planned, stored, 0, (), None, walked_over)


def _print_traffic(bot: str, direction: str, line: bytes) -> None:
    from harness.report.safe_text import printable

    sys.stderr.write(f"{bot} {direction} {printable(line.decode('utf-8', 'replace'))}\n")
