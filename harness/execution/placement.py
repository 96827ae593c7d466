"""Which processor each slot plays on, so that a ply need not wake another one."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from harness.counted import counted
from harness.errors import InputError
from harness.execution.processor_claims import ProcessorClaims
from harness.execution.slots import core_of, usable_processors
from harness.play.bot_definition import BotDefinition

AUTO: Final = "auto"
OFF: Final = "off"

_RANGE: Final = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


class Placement(NamedTuple):
    """The processor of each slot (none: the system chooses), and what is to be said of it."""

    processors: tuple[int, ...]
    notice: str | None = None


def placement(
    setting: str,
    slots: int,
    bots: Sequence[BotDefinition],
    usable: Collection[int],
    claims: ProcessorClaims,
) -> Placement:
    """Choose the processor of each slot and claim it.

    ``auto`` gives every slot a physical core of its own that no other run has claimed, when
    every bot has one thread and there are enough; the last ones first: the rest of the harness
    has what is left. ``off`` does nothing; else the setting is a list such as ``2,3`` or ``4-7``
    with one processor for each slot, taken as it is. ``usable`` are the processors that this
    process may use. Raises InputError for a list that cannot be.
    """
    if setting == OFF:
        return Placement(())
    if setting == AUTO:
        return _place_by_itself(slots, bots, usable, claims)
    chosen = _read_list(setting)
    wrong = [cpu for cpu in chosen if cpu not in usable]
    if wrong:
        has = _write_list(usable)
        raise InputError(f"--affinity {setting}: there is no processor {wrong[0]} here, only {has}")
    if len(chosen) < slots:
        raise InputError(
            f"--affinity {setting}: {counted(len(chosen), 'processor')} for {slots} slots; each "
            "slot needs one of its own"
        )
    chosen = chosen[:slots]
    taken = claims.take(chosen)
    if not taken:
        return Placement(chosen)
    return Placement(
        chosen,
        f"--affinity {setting}: another run plays on {_name_list(taken)}; the two spoil each "
        "other's times",
    )


def _place_by_itself(
    slots: int, bots: Sequence[BotDefinition], usable: Collection[int], claims: ProcessorClaims
) -> Placement:
    cores: dict[object, list[int]] = {}
    for cpu in sorted(usable):
        cores.setdefault(core_of(cpu), []).append(cpu)
    if any(bot.threads > 1 for bot in bots) or slots > len(cores):
        return Placement(())
    free: list[int] = []
    for processors in reversed(cores.values()):
        if len(free) < slots and claims.take_all(processors):
            free.append(processors[0])
    if len(free) == slots:
        return Placement(tuple(sorted(free)))
    claims.release()
    is_none = "none" if not free else f"only {len(free)}"
    return Placement(
        (),
        f"other runs play on this machine: of {counted(len(cores), 'core')} {is_none} free, "
        f"{counted(slots, 'slot')} {'need' if slots > 1 else 'needs'} {slots}. The system places "
        "this run's games, and times may be spoiled on both sides",
    )


def stay_on(processor: int | None) -> str:
    """Bind this process, and what it starts from now on, to one processor.

    Returns where it really may run, as it is recorded with each game: ``3``, or ``off`` when it
    was not to be bound.
    """
    if processor is None:
        return OFF
    with suppress(OSError, AttributeError):
        os.sched_setaffinity(0, {processor})
    return _write_list(usable_processors())


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


def _name_list(processors: Collection[int]) -> str:
    return f"processor{'' if len(processors) == 1 else 's'} {_write_list(processors)}"


def _write_list(processors: Collection[int]) -> str:
    """Write numbers as ``0-3,6``."""
    parts: list[list[int]] = []
    for number in sorted(processors):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)
