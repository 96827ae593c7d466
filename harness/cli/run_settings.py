"""How a run is done, beside what is played: nothing of it is stored or changes a game."""

from __future__ import annotations

from dataclasses import dataclass


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
