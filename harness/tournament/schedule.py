"""The schedule as far as it is known: the batches that follow from the games settled so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from harness.tournament.batch import Batch
from harness.tournament.pairing import next_batch
from harness.tournament.results import BatchResult, SettledGames, batch_result
from harness.tournament.spec import TournamentSpec


class SettledCount(NamedTuple):
    """How many games of a schedule are stored, and how many are walked over."""

    stored: int
    walked_over: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """All complete batches with their results, and the batch that is being played.

    A function of the spec and the settled games alone: whoever asks gets the same, whenever the
    run was broken off. It is made by ``of`` and goes on by ``advanced``.
    """

    spec: TournamentSpec
    batches: tuple[Batch, ...] = ()
    results: tuple[BatchResult, ...] = ()

    @classmethod
    def of(cls, spec: TournamentSpec, settled: SettledGames) -> Schedule:
        """Return the schedule as it is after these games."""
        return cls(spec).advanced(settled)

    def advanced(self, settled: SettledGames) -> Schedule:
        """Return the schedule with the batches that follow now; further games may be settled."""
        batches, results = list(self.batches), list(self.results)
        while True:
            if len(batches) == len(results):
                batch = next_batch(self.spec, results)
                if batch is None:
                    break
                batches.append(batch)
            result = self._result(batches[-1], settled)
            if result is None:
                break
            results.append(result)
        return replace(self, batches=tuple(batches), results=tuple(results))

    @property
    def current(self) -> Batch | None:
        """The batch with open games; None when everything is settled."""
        return None if self.is_complete else self.batches[-1]

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to play."""
        return len(self.results) == len(self.batches)

    @property
    def planned(self) -> int:
        """How many games the known batches have."""
        return sum(map(len, self.batches))

    def index_of(self, game_id: str) -> int | None:
        """Return the place of a game in the schedule; None when no known batch has it."""
        for batch in self.batches:
            index = batch.index_of(game_id)
            if index is not None:
                return index
        return None

    def count(self, game_ids: Iterable[str]) -> int:
        """Return how many of these (different) games the known batches have."""
        return sum(self.index_of(game_id) is not None for game_id in game_ids)

    def count_settled(self, settled: SettledGames, first: int = 0) -> SettledCount:
        """Count the settled games of the batches from this one on; it is made of these games."""
        stored = walked_over = 0
        for number, batch in enumerate(self.batches[first:], first):
            walked_over_here = settled.walked_over_in(batch)
            walked_over += walked_over_here
            if number < len(self.results):  # every game of it is settled
                stored += len(batch) - walked_over_here
            else:
                stored += settled.stored_in(batch)
        return SettledCount(stored, walked_over)

    def _result(self, batch: Batch, settled: SettledGames) -> BatchResult | None:
        if self.spec.format.depends_on_results:
            return batch_result(batch, settled)
        # Nothing follows from these results: a million games are counted, not added up.
        return () if settled.stored_in(batch) == len(batch) else None
