"""Gauntlet: the first bots meet all others, neither group meets among itself."""

from __future__ import annotations

from collections.abc import Sequence

from harness.tournament.batch import Batch
from harness.tournament.encounter import encounter_of
from harness.tournament.spec import TournamentSpec


def gauntlet_batch(spec: TournamentSpec) -> Batch:
    """Return all games of a gauntlet; the first ``spec.seeds`` bots are the seeds."""
    names = [bot.name for bot in spec.bots]
    pairings = gauntlet_encounters(names[: spec.seeds], names[spec.seeds :])
    encounters = tuple(encounter_of(*names, spec.rounds) for names in pairings)
    return Batch(0, 0, encounters, spec.cycles)


def gauntlet_encounters(seeds: Sequence[str], others: Sequence[str]) -> list[tuple[str, str]]:
    """Return every seed with every other bot, as (seed, other).

    The smaller group sits still and the larger one moves on by a place a time: every stretch of
    as many encounters as the smaller group has bots (from the first on) has each bot at most
    once.
    """
    is_swapped = len(seeds) > len(others)
    still, moving = (others, seeds) if is_swapped else (seeds, others)
    pairings = [
        (one, moving[(place + turn) % len(moving)])
        for turn in range(len(moving))
        for place, one in enumerate(still)
    ]
    return [(other, one) for one, other in pairings] if is_swapped else pairings
