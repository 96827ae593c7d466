from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ratings.ranking import DRAWS, draw_ratings, rank_chances


def test_ranks_are_counted() -> None:
    draws = np.array([[3.0, 2.0, 1.0]] * 60 + [[2.0, 3.0, 1.0]] * 30 + [[1.0, 2.0, 3.0]] * 10)
    found = rank_chances(draws)
    assert found.best.tolist() == [0.6, 0.3, 0.1]
    assert found.low.tolist() == [1, 1, 1]
    assert found.high.tolist() == [3, 2, 3]


def test_the_range_holds_the_middle_95_percent() -> None:
    draws = np.array([[2.0, 1.0]] * 980 + [[1.0, 2.0]] * 20)
    found = rank_chances(draws)
    assert (found.low.tolist(), found.high.tolist()) == ([1, 2], [1, 2])
    draws = np.array([[2.0, 1.0]] * 970 + [[1.0, 2.0]] * 30)
    found = rank_chances(draws)
    assert (found.low.tolist(), found.high.tolist()) == ([1, 1], [2, 2])


def test_one_bot_is_first() -> None:
    found = rank_chances(np.zeros((5, 1)))
    assert (found.best.tolist(), found.low.tolist(), found.high.tolist()) == ([1.0], [1], [1])


def test_draws_have_the_mean_and_the_covariance() -> None:
    elo = np.array([100.0, 0.0, -100.0])
    root = np.array([[20.0, 0, 0], [15.0, 10, 0], [-5.0, 3, 8]])
    covariance = root @ root.T
    draws = draw_ratings(elo, covariance, seed=1)
    assert draws.shape == (DRAWS, 3)
    assert draws.mean(axis=0) == pytest.approx(elo, abs=4 * 20 / math.sqrt(DRAWS))
    assert np.cov(draws.T) == pytest.approx(covariance, abs=12)


def test_the_chance_of_two_bots_is_that_of_the_normal_curve() -> None:
    """The errors are common: the difference has variance 40, not 10040."""
    covariance = np.array([[5020.0, 5000.0], [5000.0, 5020.0]])
    found = rank_chances(draw_ratings(np.array([5.0, 0.0]), covariance, seed=1))
    expected = 0.5 * math.erfc(-5 / math.sqrt(80))
    assert found.best[0] == pytest.approx(expected, abs=4 * 0.5 / math.sqrt(DRAWS))
    assert found.best.sum() == pytest.approx(1)


def test_equals_share_every_rank() -> None:
    found = rank_chances(draw_ratings(np.zeros(4), np.eye(4), seed=3))
    assert found.best == pytest.approx([0.25] * 4, abs=0.015)
    assert (found.low.tolist(), found.high.tolist()) == ([1] * 4, [4] * 4)


def test_a_covariance_without_full_rank_can_be_drawn_from() -> None:
    """That of a gauge always is one: the mean, or an anchor, has no error."""
    centred = 100 * (np.eye(3) - 1 / 3)
    draws = draw_ratings(np.array([1.0, 0.0, -1.0]), centred, seed=1)
    assert np.abs(draws.sum(axis=1)).max() < 1e-5
    anchored = np.diag([25.0, 0.0])
    draws = draw_ratings(np.array([0.0, 7.0]), anchored, seed=1)
    assert np.ptp(draws[:, 1]) == 0
    exact = rank_chances(draw_ratings(np.array([1.0, 0.0]), np.zeros((2, 2)), seed=1))
    assert exact.best.tolist() == [1.0, 0.0]


def test_the_seed_decides() -> None:
    elo, covariance = np.zeros(2), np.eye(2)
    assert np.array_equal(draw_ratings(elo, covariance, 1), draw_ratings(elo, covariance, 1))
    assert not np.array_equal(draw_ratings(elo, covariance, 1), draw_ratings(elo, covariance, 2))


@given(st.integers(1, 6), st.integers(1, 90), st.randoms(use_true_random=False))
def test_ranks_are_those_of_counting_one_by_one(bots: int, count: int, chance: Random) -> None:
    rows = [[float(chance.randrange(4)) for _ in range(bots)] for _ in range(count)]
    ranks = np.empty((count, bots), dtype=np.int64)
    for number, row in enumerate(rows):
        for rank, bot in enumerate(sorted(range(bots), key=lambda one: (-row[one], one)), 1):
            ranks[number, bot] = rank
    found = rank_chances(np.array(rows))
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0, method="nearest")
    assert found.best.tolist() == (ranks == 1).mean(axis=0).tolist()
    assert (found.low.tolist(), found.high.tolist()) == (low.tolist(), high.tolist())
