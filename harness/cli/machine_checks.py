"""What a tournament needs of the machine, each thing tried out and put into plain words."""

from __future__ import annotations

import errno
import os
import platform
import resource
import select
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from harness.cli.lateness_trial import SLEEP_MS, late_ns_of_sleepers
from harness.cli.placement_trial import try_placement
from harness.cli.trials import as_other_user, ends_with_its_parent, gaps_of_sandbox
from harness.counted import counted
from harness.execution.placement import name_processors
from harness.execution.resources import fair_share_mb, read_machine
from harness.execution.slots import physical_cores, slot_count, usable_processors
from harness.play.bot_definition import BotDefinition
from harness.play.lateness import GameLateness
from harness.process.bot_process import BotFailure, BotProcess
from harness.process.containment import Containment, parent_death_wrapper, refusal
from harness.process.farewell import dismiss
from harness.process.greeting import greet
from harness.process.lateness import ThreadTimes
from harness.process.process_limits import DEFAULT_PROCESSES
from harness.process.sandbox import refusal as sandbox_refusal
from harness.store.filesystem import network_file_system
from harness.tournament.spec import DEFAULT_MARGIN_MS

_WAKE_UPS: Final = 200
_SHORT_WAIT_MS: Final = 1
_LATE_NS: Final = 5_000_000
_AT_ONCE: Final = (1, 2, 4)
_MOST_AT_ONCE: Final = 16
_LITTLE_MEMORY_MB: Final = 512
_LITTLE_SPACE_MB: Final = 512
_FEW_DESCRIPTORS: Final = 512
_MIB: Final = 1024 * 1024
_PROCESS_LIMIT_SIGNS: Final = ("NPROC", os.strerror(errno.EAGAIN), "Cannot fork")


class State(Enum):
    """Whether something is as it should be, is there in part, or is not there."""

    MET = "ok"
    WEAK = "weak"
    MISSING = "no"


@dataclass(frozen=True, slots=True)
class Check:
    """What came of one trial; without a check that ``is_needed`` nothing can be played."""

    name: str
    state: State
    text: str
    advice: str = ""
    is_needed: bool = False

    @property
    def is_met(self) -> bool:
        """Whether it is there, if only in part."""
        return self.state is not State.MISSING


def check_machine(results: Path) -> list[Check]:
    """Try everything; takes two or three seconds. Must be called where no other thread runs."""
    return [
        _bots_start(),
        _results_folder(results),
        _namespace(),
        _parent_death(),
        _subreaper(),
        *_sandbox(),
        _cores(),
        _placement(),
        _memory(),
        _descriptors(),
        _clock(),
        _lateness(),
        Check("Python", State.MET, platform.python_version()),
        Check("SQLite", State.MET, sqlite3.sqlite_version),
        _git(),
        Check("compiler", State.MET, "none is needed: the harness is all Python"),
    ]


def _bots_start() -> Check:
    name = "bots"
    try:
        bot = BotProcess(BotDefinition("random", module="bots.random_bot"))
        try:
            greet(bot)
        finally:
            dismiss([bot])
    except BotFailure as failure:
        why = f"the shipped bot random does not play: {failure.why}"
        advice = _advice(failure.why, "install the harness anew")
        return Check(name, State.MISSING, why, advice, is_needed=True)
    return Check(name, State.MET, "the shipped bot random starts and answers", is_needed=True)


def _results_folder(results: Path) -> Check:
    """Check the folder, or the nearest above it that there is."""
    name = "results folder"
    folder = results.absolute()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            file.flush()
    except OSError as error:
        text = f"{folder} cannot be written: {error.strerror or error}"
        advice = "give another one: --results DIR"
        return Check(name, State.MISSING, text, advice, is_needed=True)
    kind = network_file_system(folder)
    if kind is not None:
        text = f"{results} is on a network file system ({kind}), whose locks may fail"
        return Check(name, State.WEAK, text, "use a local one: --results DIR", is_needed=True)
    free_mb = shutil.disk_usage(folder).free // _MIB
    text = f"{results} is on a local file system, {free_mb:,} MB are free"
    if free_mb < _LITTLE_SPACE_MB:
        return Check(name, State.WEAK, text, "make room", is_needed=True)
    return Check(name, State.MET, text, is_needed=True)


def _namespace() -> Check:
    name = "PID namespace"
    why = refusal(Containment.PID_NAMESPACE)
    users = ""
    if os.geteuid() == 0:
        other = as_other_user(lambda: refusal(Containment.PID_NAMESPACE))
        users = f"; for users it is refused: {other}" if other else "; for users too"
    if why:
        text = f"refused ({why}): a process that a bot leaves behind may outlive a killed run"
        advice = "let users make namespaces: sysctl kernel.unprivileged_userns_clone=1, "
        advice += "user.max_user_namespaces; in a container: --privileged, or another host"
        return Check(name, State.MISSING, text + users, _advice(why, advice))
    text = "whatever a bot starts ends with its slot, however that ends"
    return Check(name, State.MET, text + users)


def _parent_death() -> Check:
    name = "parent-death signal"
    if not parent_death_wrapper():
        text = "there is no setpriv: after kill -9 a bot that does not read may live on"
        return Check(name, State.MISSING, text, "install the package util-linux")
    if ends_with_its_parent():
        return Check(name, State.MET, "a bot ends with the process that started it")
    return Check(name, State.MISSING, "a program outlived the process that started it")


def _subreaper() -> Check:
    name = "child subreaper"
    why = refusal(Containment.SUBREAPER)
    if why:
        return Check(name, State.MISSING, f"refused: {why}", "a Linux kernel from 3.4 has it")
    return Check(name, State.MET, "what a bot leaves behind is found and ended after each game")


def _sandbox() -> Iterator[Check]:
    name = "sandbox"
    why = sandbox_refusal()
    users = ""
    if os.geteuid() == 0 and shutil.which("bwrap") is not None:
        other = as_other_user(sandbox_refusal)
        users = f"; for users it is refused: {other}" if other else "; for users too"
    if why:
        if shutil.which("bwrap") is None:
            text = "there is no bwrap: bots can reach your files and the network"
            advice = "install the package bubblewrap (0.8 or newer)"
        else:
            text = f"--sandbox bwrap does not work: {why}{users}"
            advice = _advice(why, "bubblewrap has to make namespaces: see PID namespace")
        yield Check(name, State.MISSING, text, advice)
        for limit in ("memory limit", "process limit"):
            yield Check(limit, State.WEAK, "watched: a bot over it is ended, a little later")
        return
    gaps = gaps_of_sandbox()
    walls = [gap for gap in gaps if gap not in ("memory", "processes")]
    if walls:
        text = f"it starts, but does not hold: {', '.join(walls)}{users}"
        yield Check(name, State.WEAK, text)
    else:
        text = "--sandbox bwrap works: no network, no other process, nothing of your files, "
        yield Check(name, State.MET, f"{text}nothing written but its own /tmp{users}")
    for limit, key in (("memory limit", "memory"), ("process limit", "processes")):
        if key in gaps:
            yield Check(
                limit, State.WEAK, "watched, but the kernel does not hold it in the sandbox"
            )
        else:
            yield Check(limit, State.MET, "watched; in the sandbox the kernel holds it as well")


def _advice(why: str, usual: str) -> str:
    """Return what to do: the usual, unless the user may not have so many processes."""
    if not any(sign in why for sign in _PROCESS_LIMIT_SIGNS):
        return usual
    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    return (
        f"raise the limit of processes, ulimit -Hu is {most}: a bot alone may have "
        f"{DEFAULT_PROCESSES}, unless `processes` says otherwise"
    )


def _cores() -> Check:
    usable = len(usable_processors())
    cores = physical_cores()
    slots = slot_count((), None, cores, force=False)
    text = f"{cores} physical, {usable} usable processors: {_games(slots)} of bots with one thread"
    if cores == 1:
        advice = "bots and harness share one core: give more time, or more --margin-ms"
        return Check("cores", State.WEAK, text, advice)
    return Check("cores", State.MET, text)


def _placement() -> Check:
    """Try what keeps each slot on a processor of its own; without it a ply costs more."""
    name = "placement"
    slots = slot_count((), None, physical_cores(), force=False)
    why, would_take, held = try_placement(slots)
    others = f"other runs hold {name_processors(held)}" if held else "no other run holds one"
    if why:
        text = f"a process cannot be kept to a processor ({why}): the system places games, and a "
        advice = "allow sched_setaffinity: a container or a security profile may forbid it"
        return Check(name, State.MISSING, f"{text}move costs more; {others}", advice)
    text = "a process can be kept to a processor; "
    if len(would_take) < slots:
        free = f"only {counted(len(would_take), 'core')}" if would_take else "no core"
        text += f"{others}: {free} free for {counted(slots, 'slot')}, the system would place a run"
        advice = "let the other runs end first, or give all of them processors: --affinity LIST"
        return Check(name, State.WEAK, text, advice)
    return Check(name, State.MET, f"{text}a run would take {name_processors(would_take)}; {others}")


def _games(slots: int) -> str:
    return "1 game at a time" if slots == 1 else f"{slots} games at once"


def _memory() -> Check:
    machine = read_machine()
    share = fair_share_mb(2, slot_count((), None, physical_cores(), force=False), machine)
    if machine.available_mb is None or share is None:
        return Check("memory", State.WEAK, "unknown: bots without memory-mb have no limit")
    text = f"{machine.available_mb:,} MB can be had: {share:,} MB for each of two bots a slot"
    if machine.available_mb < _LITTLE_MEMORY_MB:
        return Check("memory", State.WEAK, text, "little: end other programs")
    return Check("memory", State.MET, text)


def _descriptors() -> Check:
    most = read_machine().max_descriptors
    text = f"{most:,} open files (ulimit -Hn)"
    if most < _FEW_DESCRIPTORS:
        return Check("file descriptors", State.WEAK, text, "few: raise it for many slots")
    return Check("file descriptors", State.MET, text)


def _clock() -> Check:
    resolution_ns = round(time.clock_getres(time.CLOCK_MONOTONIC) * 1e9)
    late_ns = sorted(_lateness_ns() for _ in range(_WAKE_UPS))
    middle, bad = late_ns[_WAKE_UPS // 2], late_ns[_WAKE_UPS * 99 // 100]
    text = (
        f"monotonic, steps of {resolution_ns} ns; a wait of {_SHORT_WAIT_MS} ms ends "
        f"{middle / 1e6:.2f} ms late (median), {bad / 1e6:.2f} ms (99 %)"
    )
    if bad > _LATE_NS:
        advice = "the machine is busy or shared: fewer slots, or more --margin-ms"
        return Check("clock", State.WEAK, text, advice)
    return Check("clock", State.MET, text)


def _lateness_ns() -> int:
    begun = time.monotonic_ns()
    select.poll().poll(_SHORT_WAIT_MS)
    return time.monotonic_ns() - begun - _SHORT_WAIT_MS * 1_000_000


def _lateness() -> Check:
    """Let bots sleep, one, two and four at once, and as many as there are slots.

    What is charged beyond their own time may be as much as the margin at the last.
    """
    name = "lateness"
    advice = "bots are charged for time that they do not have: end other programs, play fewer "
    advice += "games at once, or give more --margin-ms"
    slots = min(slot_count((), None, physical_cores(), force=False), _MOST_AT_ONCE)
    late = {}
    for at_once in sorted({*_AT_ONCE, slots}):
        try:
            late[at_once] = GameLateness.of_turns(late_ns_of_sleepers(at_once))
        except OSError as error:
            return Check(name, State.WEAK, f"not measured, {at_once} at once: {error}", advice)
    shown = [
        f"{at_once} at once {_ms(one.p50_us)} and {_ms(one.p99_us)} ms"
        for at_once, one in late.items()
        if one is not None
    ]
    text = f"beyond the {SLEEP_MS} ms that they sleep bots are charged (median and 99 %): "
    text += ", ".join(shown)
    slot = ThreadTimes.of_this_thread()
    if not slot.is_known:
        text += "; the system does not count it: games cannot record it"
    slot.close()
    decisive = late[slots]
    if decisive is None or decisive.p99_us > DEFAULT_MARGIN_MS * 1000:
        return Check(name, State.WEAK, text, advice)
    return Check(name, State.MET, text)


def _ms(time_us: int) -> str:
    return f"{time_us / 1000:.2f}"


def _git() -> Check:
    with suppress(OSError, subprocess.SubprocessError):
        words = ("git", "--version")
        said = subprocess.run(words, capture_output=True, text=True, timeout=10, check=True).stdout
        return Check("git", State.MET, said.strip().removeprefix("git version "))
    text = "there is no git: versions of bots in repositories cannot be played"
    return Check("git", State.MISSING, text, "install the package git")
