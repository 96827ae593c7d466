"""Every rule by hand: what counts, what begins again, when it ends, and for whom."""

from __future__ import annotations

import pytest

from harness.play.adjudication import Adjudication, DrawRule, ResignRule, Ruling, Streak, rule
from harness.play.score import WIN_CP
from harness.rules.types import Color

SETTING = Adjudication(DrawRule(20, 3, 10), ResignRule(500, 2))
RUNNING = Streak(4, 5, 6)


@pytest.mark.parametrize(
    ("score_cp", "streak"),
    [
        (0, Streak(5, 0, 0)),
        (20, Streak(5, 0, 0)),
        (-20, Streak(5, 0, 0)),
        (21, Streak(0, 0, 0)),
        (-21, Streak(0, 0, 0)),
        (499, Streak(0, 0, 0)),
        (500, Streak(0, 0, 7)),
        (WIN_CP, Streak(0, 0, 7)),
        (-499, Streak(0, 0, 0)),
        (-500, Streak(0, 6, 0)),
        (-WIN_CP, Streak(0, 6, 0)),
        (None, Streak(0, 0, 0)),
    ],
)
def test_a_score_lengthens_its_count_and_ends_the_others(
    score_cp: int | None, streak: Streak
) -> None:
    assert RUNNING.after(SETTING, score_cp, is_pass=False) == streak


def test_a_pass_without_a_score_changes_nothing() -> None:
    assert RUNNING.after(SETTING, None, is_pass=True) == RUNNING
    assert RUNNING.after(SETTING, 20, is_pass=True) == Streak(5, 0, 0)
    assert RUNNING.after(SETTING, 300, is_pass=True) == Streak()


def test_rules_that_are_off_count_nothing() -> None:
    for score_cp in (0, 10**6, -WIN_CP, WIN_CP):
        assert Streak().after(Adjudication(), score_cp, is_pass=False) == Streak()
    only_draw = Adjudication(draw=DrawRule(20, 1))
    assert Streak().after(only_draw, -WIN_CP, is_pass=False) == Streak()
    only_resign = Adjudication(resign=ResignRule(500, 1))
    assert Streak().after(only_resign, 0, is_pass=False) == Streak()


@pytest.mark.parametrize(
    ("plies", "black", "white", "drawn"),
    [
        (10, 3, 3, True),
        (99, 7, 3, True),
        (9, 9, 9, False),
        (10, 2, 9, False),
        (10, 9, 2, False),
        (10, 0, 0, False),
    ],
)
def test_a_draw_needs_both_counts_and_the_ply(
    plies: int, black: int, white: int, drawn: bool
) -> None:
    expected = Ruling(None, "both reported -20 to 20 cp for 3 own moves each") if drawn else None
    assert rule(SETTING, plies, Streak(level=black), Streak(level=white)) == expected


@pytest.mark.parametrize("loser", list(Color))
@pytest.mark.parametrize(
    ("losing", "winning", "both", "alone"),
    [
        (2, 2, True, True),
        (3, 2, True, True),
        (2, 9, True, True),
        (2, 1, False, True),
        (9, 0, False, True),
        (1, 9, False, False),
        (0, 9, False, False),
    ],
)
def test_a_resignation_needs_the_loser_and_with_both_the_winner(
    loser: Color, losing: int, winning: int, both: bool, alone: bool
) -> None:
    streaks = [Streak(), Streak()]
    streaks[loser] = Streak(losing=losing)
    streaks[loser.opponent] = Streak(winning=winning)
    for needs_both, ended in ((True, both), (False, alone)):
        setting = Adjudication(resign=ResignRule(500, 2, needs_both))
        ruling = rule(setting, 1, *streaks)
        assert (None if ruling is None else ruling.loser) == (loser if ended else None)


def test_a_ruling_is_said_in_words() -> None:
    losing, winning = Streak(losing=3), Streak(winning=3)
    both = rule(SETTING, 1, losing, winning)
    assert both is not None
    assert both.why == "black reported -500 cp or less for 2 own moves, white 500 cp or more"
    alone = rule(Adjudication(resign=ResignRule(300, 1, needs_both=False)), 1, winning, losing)
    assert alone is not None
    assert alone.why == "white reported -300 cp or less for 1 own move"


def test_values_that_make_no_sense_are_refused() -> None:
    for score_cp, count in ((0, 1), (-5, 1), (5, 0)):
        with pytest.raises(ValueError, match="at least 1"):
            DrawRule(score_cp, count)
        with pytest.raises(ValueError, match="at least 1"):
            ResignRule(score_cp, count)
    with pytest.raises(ValueError, match="ply is at least 0"):
        DrawRule(1, 1, -1)
    with pytest.raises(ValueError, match="is below that of a resignation"):
        Adjudication(DrawRule(500, 1), ResignRule(500, 1))
    assert Adjudication(DrawRule(499, 1), ResignRule(500, 1)).is_on


def test_it_is_off_unless_it_is_set() -> None:
    assert not Adjudication().is_on
    assert Adjudication(draw=DrawRule(1, 1)).is_on
    assert Adjudication(resign=ResignRule(1, 1)).is_on
