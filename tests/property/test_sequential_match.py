from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ratings.sequential_match import MatchPair, SequentialMatch, SequentialReport
from harness.ratings.sprt import SequentialTest, follow

BOUNDS = SequentialTest(0, 200)


def _pair(number: int, score: float) -> MatchPair:
    return MatchPair(number, f"opening {number}", score, (2 * number, 2 * number + 1))


def _followed(pairs: list[MatchPair]) -> SequentialReport:
    match = SequentialMatch(BOUNDS)
    for pair in pairs:
        match.take(pair)
    return match.report()


def _chance_scores(seed: int, count: int, mean: float) -> list[float]:
    generator = random.Random(seed)
    return [(generator.random() < mean) / 2 + (generator.random() < mean) / 2 for _ in range(count)]


@given(st.integers(0, 10**6), st.randoms(use_true_random=False), st.sampled_from([0.5, 0.62, 0.4]))
def test_the_order_of_finishing_decides_nothing(
    seed: int, chance: random.Random, mean: float
) -> None:
    pairs = [_pair(number, score) for number, score in enumerate(_chance_scores(seed, 60, mean), 1)]
    in_order = _followed(pairs)
    shuffled = pairs.copy()
    chance.shuffle(shuffled)
    mixed = _followed(shuffled)
    assert (mixed.verdict, mixed.pairs, mixed.llr) == (
        in_order.verdict, in_order.pairs, in_order.llr,
    )  # fmt: skip
    assert mixed.estimate == in_order.estimate
    state = follow(BOUNDS, np.array([pair.score for pair in pairs]))
    assert (in_order.verdict, in_order.pairs) == (state.verdict, state.units)
    assert in_order.llr == pytest.approx(state.llr)
