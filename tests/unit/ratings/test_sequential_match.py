from __future__ import annotations

import numpy as np
import pytest

from harness.ratings.sequential_match import MatchPair, SequentialMatch, SequentialReport
from harness.ratings.sprt import SequentialTest, Verdict
from harness.ratings.verdict_text import question_text, verdict_text, verdict_word

BOUNDS = SequentialTest(0, 200)


def _pair(number: int, score: float) -> MatchPair:
    return MatchPair(number, f"opening {number}", score, (2 * number, 2 * number + 1))


def _followed(pairs: list[MatchPair], test: SequentialTest = BOUNDS) -> SequentialReport:
    match = SequentialMatch(test)
    for pair in pairs:
        match.take(pair)
    return match.report()


def test_quick_losses_wait_for_the_pairs_before_them() -> None:
    match = SequentialMatch(BOUNDS)
    for number in range(2, 100):
        assert not match.take(_pair(number, 0.0))
    assert match.pairs == 0
    assert not match.is_decided
    assert match.report().later == 98
    assert match.take(_pair(1, 1.0))
    assert match.verdict is Verdict.H0
    assert match.report().later > 0


def test_later_pairs_change_neither_verdict_nor_estimate() -> None:
    wins = [_pair(number, 1.0) for number in range(1, 60)]
    decided = _followed(wins)
    assert decided.verdict is Verdict.H1
    assert decided.pairs < 59
    more = [*wins, *(_pair(number, 0.0) for number in range(60, 300))]
    after = _followed(more)
    assert (after.verdict, after.pairs, after.llr, after.estimate, after.bet) == (
        decided.verdict, decided.pairs, decided.llr, decided.estimate, decided.bet,
    )  # fmt: skip


def test_a_pair_counts_once() -> None:
    match = SequentialMatch(BOUNDS)
    assert match.take(_pair(1, 0.5))
    assert not match.take(_pair(1, 1.0))
    assert not match.take(_pair(3, 1.0))
    assert not match.take(_pair(3, 0.0))
    assert match.take(_pair(2, 0.5))
    assert match.report().pentanomial == (0, 0, 2, 0, 1)


def test_repeated_openings_and_games_are_dropped_and_counted() -> None:
    first = MatchPair(1, "p", 1.0, (1, 2))
    report = _followed(
        [
            first,
            MatchPair(2, "p", 1.0, (3, 4)),  # the same opening
            MatchPair(3, "q", 1.0, (1, 2)),  # the same games
            MatchPair(4, "r", 0.0, (1, 5)),  # one game alike is no repetition
        ]
    )
    assert (report.pairs, report.repeated) == (2, 2)
    assert report.pentanomial == (1, 0, 0, 0, 1)


@pytest.mark.parametrize(
    ("score", "verdict"), [(1.0, Verdict.H1), (0.0, Verdict.H0), (0.5, Verdict.H0)]
)
def test_one_sided_results_end_with_a_verdict(score: float, verdict: Verdict) -> None:
    report = _followed([_pair(number, score) for number in range(1, 4001)], SequentialTest())
    assert report.verdict is verdict
    assert report.expected_pairs is None
    assert np.isfinite(report.llr)


def test_no_pairs_are_no_verdict() -> None:
    report = SequentialMatch(BOUNDS).report()
    assert (report.verdict, report.pairs, report.llr) == (Verdict.CONTINUE, 0, 0.0)
    assert report.expected_pairs is None
    assert report.estimate.elo is None


def test_the_expected_pairs_shrink_on_the_way() -> None:
    scores = [0.75, 0.5, 0.5, 0.5, 0.75, 0.25] * 4
    match = SequentialMatch(SequentialTest(0, 100))
    expected = []
    for number, score in enumerate(scores, 1):
        match.take(_pair(number, score))
        if number % 6 == 0:
            expected.append(match.report().expected_pairs)
    assert not match.is_decided
    assert all(now is not None and now > 0 for now in expected)
    assert expected[-1] < expected[0]  # type: ignore[operator]


def test_an_odd_score_is_refused() -> None:
    with pytest.raises(ValueError, match="no score of a pair"):
        SequentialMatch(BOUNDS).take(_pair(1, 0.3))


@pytest.mark.parametrize(
    ("test", "score", "word", "words"),
    [
        (SequentialTest(0, 20), 1.0, "H1", "new is better than old"),
        (SequentialTest(0, 20), 0.0, "H0", "no improvement by 20 nElo"),
        (SequentialTest(-10, 10), 1.0, "H1", "new is no step back from old"),
        (SequentialTest(-10, 10), 0.0, "H0", "new is not shown to hold its own against old"),
    ],
)
def test_verdicts_are_said_in_words(
    test: SequentialTest, score: float, word: str, words: str
) -> None:
    report = _followed([_pair(number, score) for number in range(1, 2000)], test)
    text = verdict_text(report, "old", "new")
    assert verdict_word(report.verdict) == word
    assert text.startswith(f"{word}: {words}")


def test_equal_bots_are_told_how_often_they_get_h0() -> None:
    report = _followed([_pair(number, 0.0) for number in range(1, 2000)], SequentialTest(-10, 10))
    assert "equal bots get this in 50 %" in verdict_text(report, "old", "new")


def test_undecided_says_why() -> None:
    report = _followed([_pair(1, 0.5)])
    text = verdict_text(report, "old", "new", "openings exhausted")
    assert text == "undecided: nothing is shown about new and old (openings exhausted)."
    assert "H1: by +200 nElo" in question_text(BOUNDS, "old", "new")
