"""Round-robin: every bot meets every other."""

from __future__ import annotations

from collections.abc import Sequence

from harness.tournament.batch import Batch
from harness.tournament.encounter import Encounter
from harness.tournament.spec import TournamentSpec


def round_robin_batch(spec: TournamentSpec) -> Batch:
    """Return all games of a round-robin."""
    pairings = round_robin_encounters([bot.name for bot in spec.bots])
    encounters = tuple(Encounter(*names, spec.rounds) for names in pairings)
    return Batch(0, 0, encounters, spec.cycles)


def round_robin_encounters(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return all encounters by the circle method, so that no bot plays in rows or waits long.

    Every stretch of ``len(names) // 2`` encounters has each bot once, but for the one that has a
    bye when their number is odd. Source: the usual construction for round-robin tables, one
    seat fixed, the others moved on by one place a time.
    """
    seats: list[str | None] = list(names)
    if len(seats) % 2:
        seats.append(None)
    encounters = []
    for _ in range(len(seats) - 1):
        for place in range(len(seats) // 2):
            one, other = seats[place], seats[-1 - place]
            if one is not None and other is not None:
                encounters.append((min(one, other), max(one, other)))
        seats.insert(1, seats.pop())
    return encounters
