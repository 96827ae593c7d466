"""Who plays whom, when, with which colour and opening: the next batch of any format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from harness.tournament.batch import Batch, GamePlan
from harness.tournament.encounter import Encounter, encounter_id
from harness.tournament.formats.encounter_list import encounter_list_batch
from harness.tournament.formats.gauntlet import gauntlet_batch
from harness.tournament.formats.knock_out import next_knock_out_batch
from harness.tournament.formats.round_robin import round_robin_batch
from harness.tournament.formats.swiss import next_swiss_batch
from harness.tournament.results import BatchResult
from harness.tournament.spec import TournamentFormat, TournamentSpec

__all__ = ["Batch", "Encounter", "GamePlan", "encounter_id", "most_pairs", "next_batch"]


def next_batch(spec: TournamentSpec, results: Sequence[BatchResult]) -> Batch | None:
    """Return the batch after those with ``results``; None when the tournament is finished.

    ``results`` are of the complete batches, in order, from stored games: the order in which
    games happened to finish cannot be seen here. The same results give the same batch.
    """
    match spec.format:
        case TournamentFormat.ROUND_ROBIN:
            return None if results else round_robin_batch(spec)
        case TournamentFormat.GAUNTLET:
            return None if results else gauntlet_batch(spec)
        case TournamentFormat.LIST:
            return None if results else encounter_list_batch(spec)
        case TournamentFormat.SWISS:
            return next_swiss_batch(spec, results)
        case TournamentFormat.KNOCK_OUT:
            return next_knock_out_batch(spec, results)
        case _:
            assert_never(spec.format)


def most_pairs(spec: TournamentSpec) -> int:
    """Return the greatest number of game pairs of an encounter: how many openings are needed.

    Bots that have to meet again in a Swiss go on with further openings; that is not foreseen.
    """
    rounds = spec.rounds
    if spec.format is TournamentFormat.LIST:
        own = [one.rounds for one in spec.encounters]
        rounds = max((spec.rounds if one is None else one for one in own), default=spec.rounds)
    pairs = rounds * spec.cycles
    return pairs + spec.tie_break_pairs if spec.format is TournamentFormat.KNOCK_OUT else pairs
