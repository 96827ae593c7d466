"""A sequential test as it goes on: pairs in schedule order, the first verdict stands.

Pairs may be handed over in any order, as they finish; they are counted in the order of their
numbers. Quick losses that finish first decide nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from harness.ratings.betting import Bet, bet
from harness.ratings.match import unit_statistics
from harness.ratings.sprt import (
    SequentialTest,
    Verdict,
    brownian_design,
    hypothesis_effects,
    log_likelihood_ratio,
)
from harness.ratings.stopped import StoppedEstimate, stopped_estimate

_MOST_EXPECTED: float = 1e7


class MatchPair(NamedTuple):
    """A complete game pair.

    ``number`` is its place in the schedule, from 1; ``score`` is that of the bot under test, 0
    to 1 in quarters. ``moves`` are equal numbers for equal games, leg a first.
    """

    number: int
    opening: str
    score: float
    moves: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SequentialReport:
    """Where a test stands, as the bot under test sees it.

    ``pentanomial`` counts the ``pairs`` that count, by score. ``repeated`` pairs did not: their
    opening, or all their moves, had been played before. ``later`` pairs are stored but come
    after the verdict, or after a pair that is still missing. ``expected_pairs`` is how many more
    a decision will take if the difference is as it looks now; None: decided, or unknown. ``nelo``
    is the normalized Elo as it looks, not corrected for the stop; None where nothing varies.
    """

    test: SequentialTest
    verdict: Verdict
    pairs: int
    pentanomial: tuple[int, ...]
    llr: float
    repeated: int
    later: int
    expected_pairs: float | None
    nelo: float | None
    estimate: StoppedEstimate
    bet: Bet


class SequentialMatch:
    """Takes pairs as they finish and follows the test along the schedule."""

    def __init__(self, test: SequentialTest) -> None:
        self.test = test
        self.verdict = Verdict.CONTINUE
        self._waiting: dict[int, MatchPair] = {}
        self._next = 1
        self._scores: list[float] = []
        self._counts = [0] * 5
        self._llr = 0.0
        self._repeated = 0
        self._openings: set[str] = set()
        self._games: set[tuple[int, int]] = set()

    @property
    def pairs(self) -> int:
        """Number of pairs that count so far."""
        return len(self._scores)

    @property
    def settled(self) -> int:
        """Number of the last pair before which none is missing."""
        return self._next - 1

    @property
    def is_decided(self) -> bool:
        """Whether a bound was reached; nothing changes afterwards."""
        return self.verdict is not Verdict.CONTINUE

    def take(self, pair: MatchPair) -> bool:
        """Take a pair; returns whether the test went on by it.

        ValueError for a score that is no quarter from 0 to 1.
        """
        if pair.score not in (0, 0.25, 0.5, 0.75, 1):
            raise ValueError(f"no score of a pair: {pair.score!r}")
        if pair.number < self._next or pair.number in self._waiting:
            return False
        self._waiting[pair.number] = pair
        before = self._next
        while not self.is_decided and (following := self._waiting.pop(self._next, None)):
            self._next += 1
            self._count(following)
        return self._next > before

    def report(self) -> SequentialReport:
        """Return where the test stands."""
        counts = tuple(self._counts)
        return SequentialReport(
            test=self.test,
            verdict=self.verdict,
            pairs=self.pairs,
            pentanomial=counts,
            llr=self._llr,
            repeated=self._repeated,
            later=len(self._waiting),
            expected_pairs=None
            if self.is_decided
            else _expected_pairs(self.test, counts, self._llr),
            nelo=_nelo(counts),
            estimate=stopped_estimate(self.test, counts),
            bet=bet(np.array(self._scores)),
        )

    def _count(self, pair: MatchPair) -> None:
        if pair.opening in self._openings or pair.moves in self._games:
            self._repeated += 1
            return
        self._openings.add(pair.opening)
        self._games.add(pair.moves)
        self._scores.append(pair.score)
        self._counts[round(4 * pair.score)] += 1
        self._llr = log_likelihood_ratio(self.test, self._counts)
        self.verdict = self.test.bounds.verdict(self._llr)


def _nelo(counts: tuple[int, ...]) -> float | None:
    seen = unit_statistics(counts, 2)
    return None if seen is None or seen.variance <= 0 else seen.nelo


def _expected_pairs(test: SequentialTest, counts: tuple[int, ...], llr: float) -> float | None:
    """Return the pairs to a bound from here, if the effect is the one seen so far."""
    seen = unit_statistics(counts, 2)
    if seen is None or seen.variance <= 0 or seen.units < 2:
        return None
    effect = (seen.score - 0.5) / math.sqrt(seen.variance)
    lower, upper = test.bounds
    bounds = type(test.bounds)(lower - llr, upper - llr)
    expected = brownian_design(effect, *hypothesis_effects(test, counts), bounds).expected_units
    return expected if expected < _MOST_EXPECTED else None
