"""Evidence that holds whenever one looks: betting against "no better than equal".

A gambler starts with 1 and stakes part of it on every pair. If the bot is no better than its
opponent, whatever came before, the fortune is not expected to grow, and the chance that it ever
reaches 1 / alpha is at most alpha (Ville). No variance is estimated and no stop is forbidden.
The null is equality, whatever the bounds of a sequential test beside it.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from harness.ratings.counts import FloatArray
from harness.ratings.match import checked_scores

STAKES: Final = tuple(2 * k / 20 for k in range(1, 20))
"""Shares at stake, mixed evenly; with 2 one lost pair would lose all."""


class Evidence(Enum):
    """What the pairs have shown."""

    BETTER = "better"
    WORSE = "worse"
    NOTHING = "nothing"


class Bet(NamedTuple):
    """The state of the bets on both sides.

    ``pairs`` is the number of pairs at which the evidence was reached, None if it was not.
    ``log_e_better`` and ``log_e_worse`` are the largest log fortunes up to there, or up to now.
    ``p_value`` is valid at any stop.
    """

    evidence: Evidence
    pairs: int | None
    log_e_better: float
    log_e_worse: float

    @property
    def p_value(self) -> float:
        """Two-sided p-value against equality."""
        return min(1.0, 2 * math.exp(-max(self.log_e_better, self.log_e_worse)))


def log_e_path(scores: FloatArray) -> FloatArray:
    """Return the log fortune after every pair, of bets that its score is above 1/2.

    ``scores`` are 0 to 1 (ValueError otherwise), in the order of the schedule.
    """
    from scipy.special import logsumexp

    leads = checked_scores(scores) - 0.5
    paths = np.log1p(np.outer(leads, STAKES)).cumsum(axis=0)
    path: FloatArray = logsumexp(paths, axis=1) - math.log(len(STAKES))
    return path


def bet(scores: FloatArray, *, alpha: float = 0.05) -> Bet:
    """Bet on both sides, each against 2 / alpha; what was reached first stands.

    ``alpha`` is the chance of a wrong declaration between equals. ValueError for a score that is
    not in 0 to 1, or an alpha that is not inside.
    """
    if not 0 < alpha < 1:
        raise ValueError("alpha is a chance inside 0 to 1")
    scores = checked_scores(scores)
    better, worse = log_e_path(scores), log_e_path(1 - scores)
    reached = np.flatnonzero(np.maximum(better, worse) >= math.log(2 / alpha))
    pairs = int(reached[0]) + 1 if len(reached) else None
    evidence = Evidence.NOTHING
    if pairs is not None:
        is_better = better[pairs - 1] > worse[pairs - 1]
        evidence = Evidence.BETTER if is_better else Evidence.WORSE
    return Bet(
        evidence,
        pairs,
        float(better[:pairs].max(initial=0.0)),
        float(worse[:pairs].max(initial=0.0)),
    )
