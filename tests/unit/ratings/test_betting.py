from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

from harness.ratings.betting import STAKES, Bet, Evidence, bet, log_e_path
from tests.unit.ratings.oracle import DATA

SEQUENTIAL = json.loads((DATA / "sequential.json").read_text())


@pytest.mark.parametrize("case", SEQUENTIAL["eprocess"])
def test_paths_are_those_of_the_reference(case: dict[str, Any]) -> None:
    tolerance = SEQUENTIAL["tolerance"]["log_e_abs"]
    scores = np.array(case["pair_scores"])
    path = log_e_path(scores)
    assert case["mu0"] == 0.5
    assert len(STAKES) == case["grid"]
    assert path == pytest.approx(np.array(case["log_e_path"]), abs=tolerance)
    assert path.max() == pytest.approx(case["max_log_e"], abs=tolerance)
    assert bool((path >= math.log(20)).any()) is case["rejects_at_0.05"]
    # one side at alpha is that side of two at twice alpha
    assert (bet(scores, alpha=0.1).evidence is Evidence.BETTER) is case["rejects_at_0.05"]


def test_two_wins_by_hand() -> None:
    by_hand = sum((1 + k / 20) ** 2 for k in range(1, 20)) / 19
    assert log_e_path(np.ones(2))[-1] == pytest.approx(math.log(by_hand), abs=1e-14)


def test_fortunes_of_equals_are_fair() -> None:
    """Over all runs of a fair law with mean 1/2 the fortune is 1 on average, at every length."""
    law = {0.0: 0.3, 0.5: 0.3, 0.75: 0.2, 1.0: 0.2}  # mean 0.5
    for length in (1, 2, 4):
        mean = sum(
            math.prod(law[score] for score in run) * math.exp(log_e_path(np.array(run))[-1])
            for run in itertools.product(law, repeat=length)
        )
        assert mean == pytest.approx(1, abs=1e-12)


def test_equals_are_seldom_declared_unequal_however_often_one_looks() -> None:
    generator = np.random.default_rng(2)
    runs = generator.choice([0.0, 0.25, 0.5, 0.75, 1.0], (400, 400), p=[0.2, 0.1, 0.4, 0.1, 0.2])
    declared = sum(bet(run).evidence is not Evidence.NOTHING for run in runs)
    assert declared / 400 <= 0.05


def test_what_was_reached_first_stands() -> None:
    wins = np.ones(12)
    first = bet(wins)
    assert first.evidence is Evidence.BETTER
    assert first.pairs is not None
    assert first.log_e_better >= math.log(40)
    assert bet(wins[: first.pairs - 1]).evidence is Evidence.NOTHING
    assert bet(np.concatenate([wins[: first.pairs], np.zeros(500)])) == first
    assert first.p_value == pytest.approx(2 * math.exp(-first.log_e_better))
    assert first.p_value <= 0.05


def test_sides_are_mirror_images() -> None:
    scores = np.array([0.25, 0.0, 0.5, 0.0, 0.25, 0.0, 0.0] * 6)
    found, mirrored = bet(scores), bet(1 - scores)
    assert found.evidence is Evidence.WORSE
    assert mirrored.evidence is Evidence.BETTER
    assert (found.pairs, found.log_e_worse) == (mirrored.pairs, mirrored.log_e_better)


def test_no_pairs_and_draws_are_no_evidence() -> None:
    assert bet(np.array([])) == Bet(Evidence.NOTHING, None, 0.0, 0.0)
    drawn = bet(np.full(100, 0.5))
    assert (drawn.evidence, drawn.pairs, drawn.p_value) == (Evidence.NOTHING, None, 1)


@pytest.mark.parametrize("score", [1.01, -0.1, math.nan])
def test_other_scores_are_refused(score: float) -> None:
    with pytest.raises(ValueError, match="unit scores"):
        bet(np.array([0.5, score]))


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0])
def test_other_chances_are_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        bet(np.ones(3), alpha=alpha)
