"""Whether a process can be kept to a processor here, and which ones a run would take now."""

from __future__ import annotations

import os
from typing import NamedTuple

from harness.execution.placement import choose_cores, stay_on
from harness.execution.processor_claims import claimed
from harness.execution.slots import usable_processors
from harness.process.trial import said_in_child


class PlacementTrial(NamedTuple):
    """What came of it.

    ``why_not``: no process can be kept to one processor; empty: it can. ``would_take`` are the
    processors of a run's slots, fewer when too few are free; ``held`` are those of other runs.
    """

    why_not: str
    would_take: tuple[int, ...]
    held: tuple[int, ...]


def try_placement(slots: int) -> PlacementTrial:
    """Try it in a child; nothing is claimed. Must be called where no other thread runs."""
    usable = usable_processors()
    last = max(usable)
    would_take = choose_cores(slots, usable, lambda processors: not claimed(processors))
    return PlacementTrial(_why_not(last), would_take, claimed(sorted(usable)))


def _why_not(processor: int) -> str:
    if not hasattr(os, "sched_setaffinity"):
        return "this system has no call for it"

    def attempt() -> str:
        os.sched_setaffinity(0, {processor})  # its error says more than where the child may run
        where = stay_on((processor,))
        return "" if where == str(processor) else f"it still may use {where}"

    return said_in_child(attempt)
