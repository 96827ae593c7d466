"""Which processors each slot plays on, so that a ply need not wake another one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from harness.counted import counted
from harness.errors import InputError
from harness.execution.processor_claims import ProcessorClaims
from harness.execution.slots import core_of, most_threads, usable_processors
from harness.play.bot_definition import BotDefinition

AUTO: Final = "auto"
OFF: Final = "off"

_RANGE: Final = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


class Placement(NamedTuple):
    """The processors of each slot (none: the system chooses), and what is to be said of it."""

    processors: tuple[tuple[int, ...], ...]
    notice: str | None = None


def placement(
    setting: str,
    slots: int,
    bots: Sequence[BotDefinition],
    usable: Collection[int],
    claims: ProcessorClaims,
) -> Placement:
    """Choose the processors of each slot and claim them.

    ``auto`` gives every slot a physical core of its own that no other run has claimed, when
    every bot has one thread and there are enough; the last ones first: the rest of the harness
    has what is left. ``off`` does nothing; else the setting is a list such as ``2,3`` or ``4-7``,
    taken as it is: each slot gets as many as the hungriest bot has threads, in the list's order.
    ``usable`` are the processors that this process may use. Raises InputError for a list that
    cannot be.
    """
    if setting == OFF:
        return Placement(())
    if setting == AUTO:
        return _place_by_itself(slots, bots, usable, claims)
    each, unused = listed_processors(setting, slots, bots, usable)
    said = []
    if unused:
        needs = f"{counted(slots, 'slot')} {'need' if slots > 1 else 'needs'}"
        are = "are" if len(unused) > 1 else "is"
        used = slots * len(each[0])
        said.append(f"{name_processors(unused)} {are} not used, {needs} {used} of them")
    taken = claims.take(processor for processors in each for processor in processors)
    if taken:
        said.append(
            f"another run plays on {name_processors(taken)}; the two spoil each other's times"
        )
    return Placement(each, f"--affinity {setting}: {'; '.join(said)}" if said else None)


def listed_processors(
    setting: str, slots: int, bots: Sequence[BotDefinition], usable: Collection[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Return the processors of each slot that a list names, and those that are left over.

    Of ``auto`` and ``off`` none. Raises InputError for a list that cannot be.
    """
    if setting in (AUTO, OFF):
        return (), ()
    chosen = _read_list(setting)
    wrong = [cpu for cpu in chosen if cpu not in usable]
    if wrong:
        has = _write_list(usable)
        raise InputError(f"--affinity {setting}: there is no processor {wrong[0]} here, only {has}")
    threads = most_threads(bots)
    if len(chosen) < slots * threads:
        what = f" of bots with {threads} threads" if threads > 1 else ""
        needs = f"{threads}" if threads > 1 else "one"
        raise InputError(
            f"--affinity {setting}: {counted(len(chosen), 'processor')} for "
            f"{counted(slots, 'slot')}{what}; each slot needs {needs} of its own"
        )
    each = tuple(chosen[number * threads : (number + 1) * threads] for number in range(slots))
    return each, chosen[slots * threads :]


def choose_cores(
    slots: int, usable: Collection[int], take: Callable[[list[int]], bool]
) -> tuple[int, ...]:
    """Return a processor of each core that can be had, the last cores first, at most ``slots``.

    ``take`` is given all processors of a core, and says whether it can be had.
    """
    free: list[int] = []
    for processors in reversed(_cores_of(usable)):
        if len(free) < slots and take(processors):
            free.append(processors[0])
    return tuple(sorted(free))


def _place_by_itself(
    slots: int, bots: Sequence[BotDefinition], usable: Collection[int], claims: ProcessorClaims
) -> Placement:
    threads = most_threads(bots)
    if threads > 1:
        return Placement(
            (),
            f"bots have up to {threads} threads: the system places this run's games. --affinity "
            f"LIST keeps each slot to {threads} processors",
        )
    cores = len(_cores_of(usable))
    if slots > cores:
        return Placement(
            (),
            f"{counted(cores, 'core')} for {slots} slots: no slot has one of its own, the system "
            "places this run's games",
        )
    free = choose_cores(slots, usable, claims.take_all)
    if len(free) == slots:
        return Placement(tuple((processor,) for processor in free))
    claims.release()
    is_none = "none" if not free else f"only {len(free)}"
    return Placement(
        (),
        f"other runs play on this machine: of {counted(cores, 'core')} {is_none} free, "
        f"{counted(slots, 'slot')} {'need' if slots > 1 else 'needs'} {slots}. The system places "
        "this run's games, and times may be spoiled on both sides",
    )


def _cores_of(usable: Collection[int]) -> list[list[int]]:
    """Return the processors of each core."""
    cores: dict[object, list[int]] = {}
    for cpu in sorted(usable):
        cores.setdefault(core_of(cpu), []).append(cpu)
    return list(cores.values())


def stay_on(processors: Collection[int]) -> str:
    """Bind this process, and what it starts from now on, to these processors.

    Returns where it really may run, as it is recorded with each game: ``3`` or ``0,1``, or
    ``off`` when it was not to be bound.
    """
    if not processors:
        return OFF
    with suppress(OSError, AttributeError):
        os.sched_setaffinity(0, processors)
    return ",".join(map(str, sorted(usable_processors())))


def name_processors(processors: Collection[int]) -> str:
    """Return ``processor 3`` or ``processors 0-3,6``."""
    return f"processor{'' if len(processors) == 1 else 's'} {_write_list(processors)}"


def _read_list(text: str) -> tuple[int, ...]:
    chosen: list[int] = []
    for term in text.split(","):
        match = _RANGE.fullmatch(term.strip(" "))
        low = int(match[1]) if match else 0
        high = int(match[2] or match[1]) if match else -1
        if low > high:
            raise InputError(
                f"--affinity {text}: expected auto, off or a list of processors such as 2,3 or 4-7"
            )
        chosen += range(low, high + 1)
    if len({*chosen}) < len(chosen):
        raise InputError(f"--affinity {text}: a processor is named twice")
    return tuple(chosen)


def _write_list(processors: Collection[int]) -> str:
    """Write numbers as ``0-3,6``."""
    parts: list[list[int]] = []
    for number in sorted(processors):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)
