"""What a run needs of the machine, checked before it starts: descriptors and memory."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import InputError
from harness.play.bot_definition import BotDefinition

MAX_BOTS_OF_A_SLOT: Final = 4
"""Two that play, and two that are kept from the pair before."""

_USABLE_SHARE: Final = 0.9
_LEAST_SHARE_MB: Final = 64
_DESCRIPTORS_OF_HARNESS: Final = 64
_DESCRIPTORS_OF_SLOT: Final = 6


class Machine(NamedTuple):
    """What the machine has: memory that can be had now (None: unknown), descriptors at most."""

    available_mb: int | None
    max_descriptors: int


def read_machine(meminfo: Path = Path("/proc/meminfo")) -> Machine:
    """Look at the machine."""
    available_mb = None
    try:
        for line in meminfo.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("MemAvailable:"):
                available_mb = int(line.split()[1]) // 1024
    except (OSError, ValueError, IndexError):
        pass
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return Machine(available_mb, hard if hard != resource.RLIM_INFINITY else 1 << 20)


def fair_share_mb(bots: int, slots: int, machine: Machine) -> int | None:
    """Return the memory that each of so many bots may take so that all fit; None when unknown."""
    if machine.available_mb is None:
        return None
    at_once = slots * min(bots, MAX_BOTS_OF_A_SLOT)
    return max(_LEAST_SHARE_MB, int(machine.available_mb * _USABLE_SHARE / max(1, at_once)))


def memory_warning(bots: Sequence[BotDefinition], slots: int, machine: Machine) -> str | None:
    """Say when the memory limits of the bots that can run at once are more than there is."""
    limits = sorted((bot.memory_mb or 0 for bot in bots), reverse=True)[:MAX_BOTS_OF_A_SLOT]
    wanted_mb = slots * sum(limits)
    if machine.available_mb is None or wanted_mb <= machine.available_mb:
        return None
    return (
        f"bots may take {wanted_mb} MB of memory at once (memory-mb, {slots} at a time), "
        f"{machine.available_mb} MB are available: fewer slots or lower limits are safer"
    )


def allow_descriptors(slots: int, machine: Machine) -> None:
    """Raise this process's limit of open files to what so many slots need.

    Raises InputError when the system does not allow so many.
    """
    needed = _DESCRIPTORS_OF_HARNESS + slots * _DESCRIPTORS_OF_SLOT
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if needed <= soft or soft == resource.RLIM_INFINITY:
        return
    if needed > machine.max_descriptors:
        most = max(1, (machine.max_descriptors - _DESCRIPTORS_OF_HARNESS) // _DESCRIPTORS_OF_SLOT)
        raise InputError(
            f"{slots} slots need {needed} open files, the system allows {machine.max_descriptors} "
            f"(ulimit -Hn): at most {most} slots"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
