"""Specs by bot names alone, and results as texts: what tests of formats are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.play.bot_definition import BotDefinition
from harness.play.clock import TimeControl
from harness.rules.position import STANDARD_START
from harness.tournament.batch import Batch, GamePlan
from harness.tournament.pairing import next_batch
from harness.tournament.results import BatchResult, EncounterResult, SettledGames, batch_result
from harness.tournament.spec import OpeningSource, TournamentFormat, TournamentSpec

Play = Callable[[GamePlan], int]
"""Black's half points of a game."""


def spec_of(names: str | list[str], form: str, rounds: int = 1, **values: object) -> TournamentSpec:
    """Return a spec of bots without programs; a text is one bot a letter."""
    spec = TournamentSpec(
        name="test",
        bots=tuple(BotDefinition(name, module="x") for name in names),
        openings=OpeningSource(STANDARD_START),
        time_control=TimeControl(depth=1),
        format=TournamentFormat(form),
        rounds=rounds,
    )
    return replace(spec, **values)  # type: ignore[arg-type]


def batch_after(spec: TournamentSpec, results: list[BatchResult]) -> Batch:
    batch = next_batch(spec, results)
    assert batch is not None
    return batch


def met(batch: Batch) -> list[str]:
    """Return the ids of the encounters of a batch."""
    return [encounter.id for encounter in batch.encounters]


def won_by(batch: Batch, *winners: str) -> BatchResult:
    """Return the result in which these bots win everything; where none of two does: a tie."""
    result = []
    for encounter in batch.encounters:
        games = 2 * encounter.rounds * batch.cycles
        points = [games, games]
        for place, name in enumerate(encounter.bots):
            if name in winners:
                points = [0, 0]
                points[place] = 2 * games
        result.append(EncounterResult(encounter, (points[0], points[1])))
    return tuple(result)


def play_all(
    spec: TournamentSpec, play: Play
) -> tuple[list[Batch], list[BatchResult], SettledGames]:
    """Play a tournament to its end, batch after batch."""
    batches: list[Batch] = []
    results: list[BatchResult] = []
    settled = SettledGames()
    while (batch := next_batch(spec, results)) is not None:
        for plan in batch:
            settled.store(plan.game_id, play(plan))
        result = batch_result(batch, settled)
        assert result is not None
        batches.append(batch)
        results.append(result)
    return batches, results, settled
