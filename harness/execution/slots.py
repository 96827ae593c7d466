"""How many games may be played at once without spoiling each other's clocks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from harness.counted import counted
from harness.errors import InputError
from harness.play.bot_definition import BotDefinition


def usable_processors() -> set[int]:
    """Return the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def physical_cores() -> int:
    """Return the number of physical cores that this process may use, at least 1."""
    return max(1, len({core_of(cpu) for cpu in usable_processors()}))


def slot_count(
    bots: Sequence[BotDefinition], wanted: int | None, cores: int, *, force: bool
) -> int:
    """Return the number of slots: (cores - 1) // threads of the hungriest bot, at least 1.

    InputError when more are wanted than that and ``force`` is not set.
    """
    threads = most_threads(bots)
    with_one_kept = (cores - 1) // threads
    most = max(1, with_one_kept)
    if wanted is None:
        return most
    if wanted > most and not force:
        raise InputError(
            f"{wanted} slots are too many for {counted(cores, 'core')}"
            + (f" and bots of {threads} threads" if threads > 1 else "")
            + f": at most {most}"
            + (", one core is kept for the rest" if with_one_kept else "")
            + ". More would disturb the bots' clocks; --force plays them all the same"
        )
    return wanted


def most_threads(bots: Sequence[BotDefinition]) -> int:
    """Return how many threads the hungriest bot has; 1 without bots."""
    return max((bot.threads for bot in bots), default=1)


def core_of(cpu: int) -> tuple[str, str]:
    """Return what tells the physical core of a processor from all others."""
    folder = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
    try:
        return (
            (folder / "physical_package_id").read_text().strip(),
            (folder / "core_id").read_text().strip(),
        )
    except OSError:
        return ("cpu", str(cpu))
