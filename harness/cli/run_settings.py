"""How a run is done, beside what is played: nothing of it is stored or changes a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from harness.errors import InputError

_AUTO: Final = "auto"
_OFF: Final = "off"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Flags of one run.

    ``is_serial``: in this process; ``is_debug``: one game, its traffic shown. ``affinity`` says
    which processor each slot gets: ``auto``, ``off`` or a list. ``has_transcripts``: every
    protocol line is stored. ``accept_changed`` are bots that may differ from what was stored.
    """

    is_serial: bool = False
    is_debug: bool = False
    affinity: str = "auto"
    has_transcripts: bool = False
    accept_changed: frozenset[str] = frozenset()


def chosen_affinity(affinity: str | None, slots: object, *, is_serial: bool) -> str:
    """Return the ``--affinity`` of a run: what was given, else what fits.

    Raises InputError where this or the ``slots`` that were given cannot go with ``--serial``.
    """
    if not is_serial:
        return _AUTO if affinity is None else affinity
    if isinstance(slots, int) and slots > 1:
        raise InputError(
            f"--serial plays one game at a time: leave out --slots {slots}, or --serial"
        )
    if affinity not in (None, _OFF):
        where = "LIST" if affinity == _AUTO else affinity
        raise InputError(
            f"--serial plays in this process, which stays where it is: leave out --affinity "
            f"{affinity} and begin the command with `taskset -c {where}`, or leave out --serial"
        )
    return _OFF
