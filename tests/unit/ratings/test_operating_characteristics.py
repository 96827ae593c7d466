"""What sequential tests do over and over: error rates and lengths, simulated.

The closed form of the log likelihood ratio follows thousands of runs at once; a sample of them is
followed pair by pair with the exact one, which is what verdicts are made of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import brentq

from harness.ratings.counts import FloatArray, IntArray
from harness.ratings.match import NELO
from harness.ratings.sprt import SequentialTest, Verdict, approximate_log_likelihood_ratio, follow

RUNS = 2_000
CAP = 6_000
CHUNK = 100
SCORES = np.linspace(0, 1, 5)
EVEN_LAW = np.array([0.17, 0.05, 0.56, 0.05, 0.17])
"""Pairs between equals where openings favour one colour: most pairs are split."""


class Outcome(NamedTuple):
    share_of_h1: float
    share_of_undecided: float
    mean_pairs: float
    scores: FloatArray
    verdicts: IntArray
    pairs: IntArray


def law_of(nelo: float) -> FloatArray:
    """Return the even law tilted until it has this effect (per pair: sqrt 2 times a game's)."""

    def tilted(tilt: float) -> FloatArray:
        law = EVEN_LAW * np.exp(tilt * SCORES)
        return np.asarray(law / law.sum())

    def excess(tilt: float) -> float:
        law = tilted(tilt)
        mean = law @ SCORES
        deviation = np.sqrt(law @ (SCORES - mean) ** 2)
        return float((mean - 0.5) / deviation - np.sqrt(2) * nelo / NELO)

    return tilted(float(brentq(excess, -5, 5)))


def ratios(test: SequentialTest, cells: IntArray) -> FloatArray:
    """Return the closed form after every pair; ``cells`` of shape (runs, pairs)."""
    counts = np.stack([(cells == cell).cumsum(axis=1) for cell in range(5)], axis=-1)
    counts = np.where(counts == 0, 1e-3, counts.astype(np.float64))
    units = counts.sum(axis=-1)
    mean = counts @ SCORES / units
    variance = counts @ SCORES**2 / units - mean**2
    effect = (mean - 0.5) / np.sqrt(2 * variance)
    squares = [(effect - elo / NELO) ** 2 for elo in (test.elo0, test.elo1)]
    return np.asarray(units * (np.log1p(squares[0]) - np.log1p(squares[1])))


def simulate(test: SequentialTest, nelo: float, seed: int) -> Outcome:
    chance = np.random.default_rng(seed)
    law = law_of(nelo)
    verdicts, pairs = [], []
    kept = np.zeros((0, CAP))
    for _ in range(RUNS // CHUNK):
        cells = chance.choice(5, size=(CHUNK, CAP), p=law)
        llr = ratios(test, cells)
        lower, upper = test.bounds
        ended = (llr <= lower) | (llr >= upper)
        has_ended = ended.any(axis=1)
        last = np.where(has_ended, ended.argmax(axis=1), CAP - 1)
        at_end = llr[np.arange(CHUNK), last]
        verdicts.append(np.where(has_ended, np.where(at_end >= upper, 1, 0), -1))
        pairs.append(last + 1)
        kept = kept if len(kept) else SCORES[cells]
    all_verdicts, all_pairs = np.concatenate(verdicts), np.concatenate(pairs)
    return Outcome(
        float((all_verdicts == 1).mean()),
        float((all_verdicts == -1).mean()),
        float(all_pairs.mean()),
        kept,
        all_verdicts,
        all_pairs,
    )


def test_the_closed_form_is_the_one_of_the_library() -> None:
    cells = np.random.default_rng(3).choice(5, size=(1, 300), p=law_of(30))
    counts = np.bincount(cells[0], minlength=5)
    assert (counts > 0).all()
    test = SequentialTest()
    assert ratios(test, cells)[0, -1] == pytest.approx(
        approximate_log_likelihood_ratio(test, counts.tolist())
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("elo0", "elo1", "nelo", "most_h1", "least_h1"),
    [(0, 20, 0, 0.06, 0.0), (0, 20, 20, 1.0, 0.92), (-10, 10, -10, 0.06, 0.0)],
)
def test_error_rates_and_lengths(
    elo0: float, elo1: float, nelo: float, most_h1: float, least_h1: float
) -> None:
    test = SequentialTest(elo0, elo1)
    outcome = simulate(test, nelo, seed=1)
    assert least_h1 <= outcome.share_of_h1 <= most_h1
    assert outcome.share_of_undecided < 0.01
    assert outcome.mean_pairs == pytest.approx(800, rel=0.15)
    for scores, verdict, pairs in zip(
        outcome.scores[:10], outcome.verdicts, outcome.pairs, strict=False
    ):
        state = follow(test, scores)
        assert (state.verdict is Verdict.H1) == (verdict == 1)
        assert state.units == pytest.approx(pairs, abs=20)
