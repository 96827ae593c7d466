"""Results of complete batches, from stored games: what later batches are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from harness.tournament.batch import Batch, GamePlan
from harness.tournament.encounter import Encounter
from harness.tournament.index_runs import IndexRuns

WIN_HALF_POINTS: Final = 2


class EncounterResult(NamedTuple):
    """The half points of both bots over the stored games of one encounter in one batch.

    ``absent`` are the bots for which games of it were walked over: these give no points.
    """

    encounter: Encounter
    half_points: tuple[int, int]
    absent: frozenset[str] = frozenset()

    @property
    def winner(self) -> str | None:
        """The bot with more points, or the one that was there; None when there is no such."""
        first, second = self.encounter.bots
        if self.absent:
            return next((name for name in (first, second) if name not in self.absent), None)
        ours, theirs = self.half_points
        if ours == theirs:
            return None
        return first if ours > theirs else second


BatchResult = tuple[EncounterResult, ...]
"""One result an encounter, in the order of the batch."""


@dataclass(frozen=True, slots=True)
class SettledGames:
    """The games that need not be played: those stored, and those walked over. They grow.

    ``half_points`` are Black's (2 won, 1 drawn, 0 lost) by the id of a stored game; formats
    that do not depend on results need none of games stored earlier. ``absent`` are the bots
    that could not be started, by the id of a game that was walked over for them.
    ``earlier`` are the places in the schedule of stored games whose ids are not in ``stored``:
    where nothing depends on results, a place is all that is asked of a game stored earlier.
    """

    stored: set[str] = field(default_factory=set)
    half_points: dict[str, int] = field(default_factory=dict)
    absent: dict[str, frozenset[str]] = field(default_factory=dict)
    earlier: IndexRuns = field(default_factory=IndexRuns)

    def store(self, game_id: str, half_points: int) -> None:
        """Take note of a result."""
        self.stored.add(game_id)
        self.half_points[game_id] = half_points

    def walk_over(self, game_id: str, bots: Iterable[str]) -> None:
        """Take note that a game is not played, for want of these bots."""
        self.absent[game_id] = frozenset(bots)

    def __contains__(self, game_id: object) -> bool:
        """Whether the game of this id is settled; those that are known by place alone are not."""
        return game_id in self.stored or game_id in self.absent

    def has(self, plan: GamePlan) -> bool:
        """Whether a planned game is settled, by id or by place."""
        return plan.game_id in self or plan.index in self.earlier

    def stored_in(self, batch: Batch) -> int:
        """Return how many games of a batch are stored."""
        earlier = self.earlier.count_in(batch.indices)
        if len(batch) < len(self.stored):
            return earlier + sum(plan.game_id in self.stored for plan in batch)
        return earlier + sum(batch.index_of(game_id) is not None for game_id in self.stored)

    def walked_over_in(self, batch: Batch) -> int:
        """Return how many games of a batch are walked over."""
        return sum(
            game_id not in self.stored and batch.index_of(game_id) is not None
            for game_id in self.absent
        )


def batch_result(batch: Batch, settled: SettledGames) -> BatchResult | None:
    """Return the result of a batch; None while a game of it is not settled."""
    points = {encounter.id: [0, 0] for encounter in batch.encounters}
    absent: dict[str, frozenset[str]] = {}
    for plan in batch:
        of_black = settled.half_points.get(plan.game_id)
        if of_black is not None:
            # In leg a the first bot of the encounter plays Black, in leg b the second.
            black = "ab".index(plan.leg)
            points[plan.encounter][black] += of_black
            points[plan.encounter][1 - black] += WIN_HALF_POINTS - of_black
        elif plan.game_id in settled.absent:
            others = absent.get(plan.encounter, frozenset())
            absent[plan.encounter] = others | settled.absent[plan.game_id]
        else:
            return None
    return tuple(
        EncounterResult(
            encounter,
            (points[encounter.id][0], points[encounter.id][1]),
            absent.get(encounter.id, frozenset()),
        )
        for encounter in batch.encounters
    )
