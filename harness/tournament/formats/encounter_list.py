"""A list of encounters, each with settings of its own."""

from __future__ import annotations

from harness.tournament.batch import Batch
from harness.tournament.encounter import Encounter
from harness.tournament.spec import TournamentSpec


def encounter_list_batch(spec: TournamentSpec) -> Batch:
    """Return all games of the listed encounters, interleaved round by round in each cycle."""
    encounters = []
    for one in spec.encounters:
        first, second = sorted(one.bots)
        rounds = spec.rounds if one.rounds is None else one.rounds
        encounters.append(
            Encounter(first, second, rounds, label=one.label, time_control=one.time_control)
        )
    return Batch(0, 0, tuple(encounters), spec.cycles)
