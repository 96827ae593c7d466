from __future__ import annotations

import math

import numpy as np
import pytest

from harness.ratings.match import Interval
from harness.ratings.two_bots import MatchReport, match_report
from tests.unit.ratings.oracle import games


def _report(*texts: str, names: str = "ab") -> MatchReport:
    return match_report(games(*texts, names=names), "a", "b")


def test_pairs_are_counted_by_their_score() -> None:
    found = _report(
        *("ab01", "ba11"),  # 0
        *("ab02", "ba=2"),  # 1/2
        *("ab=3", "ba13"),  # 1/2
        *("ab=4", "ba=4"),  # 1, drawn twice
        *("ab15", "ba15"),  # 1, first mover
        *("ab06", "ba06"),  # 1, second mover
        *("ab17", "ba=7"),  # 3/2
        *("ab18", "ba08"),  # 2
    )
    assert found.pentanomial == (1, 2, 3, 1, 1)
    assert tuple(found.games) == (5, 5, 6)
    assert (found.pairs, found.openings, found.unpaired_games) == (8, 8, 0)
    assert found.pair_ratio == pytest.approx(2 / 3)
    scores = [0, 1, 1, 2, 2, 2, 3, 4]
    mean = sum(scores) / 32
    assert found.estimate.score == pytest.approx(mean)
    assert found.estimate.elo == pytest.approx(-400 * math.log10(1 / mean - 1))
    assert found.estimate.deviation == pytest.approx(np.std([score / 4 for score in scores]))


def test_the_games_are_those_of_the_bot_that_is_asked_for() -> None:
    results = games("ab11", "ba=1", "ab02", "ba02", "ac13", "cb03", names="abc")
    one, other = match_report(results, "a", "b"), match_report(results, "b", "a")
    assert tuple(one.games) == (2, 1, 1)
    assert tuple(other.games) == (1, 1, 2)
    assert one.pentanomial == (0, 0, 1, 1, 0)
    assert other.pentanomial == (0, 1, 1, 0, 0)
    assert one.draw_ratio == other.draw_ratio == 0.25
    assert (one.pair_ratio, other.pair_ratio) == (None, 0.0)
    assert one.estimate.elo == pytest.approx(-(other.estimate.elo or 0))
    assert one.estimate.los == pytest.approx(1 - (other.estimate.los or 0))


@pytest.mark.parametrize(
    ("texts", "unpaired"),
    [
        (["ab11"], 1),
        (["ab11", "ab11"], 2),  # twice the same side is no pair
        (["ab11", "ba12"], 2),  # other openings, other pairs
        (["ba11", "ba11", "ba11"], 3),
    ],
)
def test_games_without_their_other_leg_are_left_out(texts: list[str], unpaired: int) -> None:
    found = _report(*texts, "ab1x", "ba=x")
    assert found.unpaired_games == unpaired
    assert found.pentanomial == (0, 0, 0, 1, 0)
    assert found.games.games == unpaired + 2
    assert found.estimate.pairs == 1
    assert found.estimate.score == 0.75


def test_an_opening_that_is_repeated_counts_once_by_its_mean() -> None:
    found = _report(
        *("ab11", "ba01", "ab11", "ba11", "ab11", "ba11"),  # 1, 1/2, 1/2
        *("ab02", "ba12"),  # 0
    )
    assert found.pentanomial == (1, 0, 2, 0, 1)
    assert (found.pairs, found.openings, found.estimate.pairs) == (4, 2, 2)
    units = [(1 + 0.5 + 0.5) / 3, 0.0]
    assert found.estimate.score == pytest.approx(np.mean(units))
    assert found.estimate.deviation == pytest.approx(np.std(units))


def test_replaying_everything_makes_nothing_surer() -> None:
    texts = [
        text
        for opening in range(20)
        for text in (f"ab{'110='[opening % 4]}{opening:02}", f"ba{'01'[opening % 2]}{opening:02}")
    ]
    once, often = _report(*texts), _report(*texts * 5)
    assert often.pairs == 5 * once.pairs
    assert often.estimate == once.estimate


def test_nothing_but_wins() -> None:
    texts = [text for opening in range(12) for text in (f"ab1{opening}", f"ba0{opening}")]
    found = _report(*texts)
    assert found.pentanomial == (0, 0, 0, 0, 12)
    assert (found.pair_ratio, found.draw_ratio) == (None, 0.0)
    estimate = found.estimate
    assert estimate.interval is Interval.EXACT
    assert (estimate.score, estimate.elo, estimate.elo_high, estimate.nelo) == (1, None, None, None)
    low = 0.025 ** (1 / 12)
    assert estimate.elo_low == pytest.approx(-400 * math.log10(1 / low - 1))
    assert estimate.los is not None
    assert 0.999 < estimate.los < 1


def test_nothing_but_losses() -> None:
    texts = [text for opening in range(12) for text in (f"ab0{opening}", f"ba1{opening}")]
    found = _report(*texts)
    assert found.pentanomial == (12, 0, 0, 0, 0)
    assert found.pair_ratio == 0.0
    estimate = found.estimate
    assert (estimate.score, estimate.elo, estimate.elo_low) == (0, None, None)
    assert estimate.elo_high == pytest.approx(400 * math.log10(1 / 0.025 ** (1 / 12) - 1))
    assert estimate.los is not None
    assert 0 < estimate.los < 0.001


def test_nothing_but_draws() -> None:
    found = _report("ab=1", "ba=1", "ab=2", "ba=2")
    assert found.pentanomial == (0, 0, 2, 0, 0)
    assert found.draw_ratio == 1.0
    assert (found.estimate.elo, found.estimate.los) == (0, 0.5)
    assert found.estimate.elo_low == pytest.approx(-(found.estimate.elo_high or 0))


def test_one_pair_has_an_interval_of_its_own() -> None:
    estimate = _report("ab11", "ba=1").estimate
    assert estimate.interval is Interval.EXACT
    assert estimate.elo == pytest.approx(400 * math.log10(3))
    assert estimate.elo_low is not None
    assert estimate.elo_high is None or estimate.elo_high > 400 * math.log10(3)


def test_no_games_of_the_two() -> None:
    for texts in ([], ["ac11", "ca11", "bc01", "cb11"]):
        found = _report(*texts, names="abc")
        assert found.games.games == 0
        assert found.pentanomial == (0,) * 5
        assert (found.openings, found.unpaired_games) == (0, 0)
        assert (found.draw_ratio, found.pair_ratio) == (None, None)
        assert found.estimate.interval is Interval.NONE
        assert (found.estimate.elo, found.estimate.los) == (None, None)
