"""The referee ends games by the scores that bots report, when it is told to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.play.adjudication import Adjudication, DrawRule, ResignRule
from harness.play.referee import Referee
from harness.play.types import Cause, GameSpec, Outcome
from harness.rules.types import Color, RuleSet
from tests.unit.play.test_referee import answer, ask, outcome, spec

SHUFFLE = ("b1b3", "h4f2", "b3b1", "f2h4")
# Black has no move, and has none as long as White plays f1-c1 and c1-f1.
BLACK_PASSES = "bww5/ww6/w1w5/8/8/5w1w/6ww/5wwb b"
DRAW = Adjudication(draw=DrawRule(20, 2))
RESIGN = Adjudication(resign=ResignRule(500, 2))
ALONE = Adjudication(resign=ResignRule(500, 2, needs_both=False))


def game(
    setting: Adjudication, *, moves: tuple[str, ...] = (), start: str = "standard"
) -> GameSpec:
    rules = RuleSet(repetition=0, max_plies=100)
    return replace(spec("nodes=1", start=start, moves=moves, rules=rules), adjudication=setting)


def play(setting: Adjudication, *scores: str, opening: int = 0) -> tuple[int, Outcome | None]:
    """Shuffle to and fro with these reports; return the plies asked for and how it ended.

    A report is what follows ``score``; ``-`` is a move without any ``info``.
    """
    referee = Referee(game(setting, moves=SHUFFLE[:opening]))
    for number, score in enumerate(scores):
        step = referee.next()
        if isinstance(step, Outcome):
            return number, step
        info = None if score == "-" else f"info depth 1 score {score} pv a1a2".encode()
        referee.receive(answer(f"bestmove {SHUFFLE[(number + opening) % 4]}", info=info))
    step = referee.next()
    return len(referee.plies), step if isinstance(step, Outcome) else None


@pytest.mark.parametrize(
    ("scores", "plies"),
    [
        (["cp 0", "cp 0", "cp 0", "cp 0", "cp 0"], 4),
        (["cp 20", "cp -20", "cp -20", "cp 20", "cp 0"], 4),
        (["cp 21", "cp 0", "cp 0", "cp 0", "cp 0", "cp 0"], 5),
        (["cp 0", "cp -21", "cp 0", "cp 0", "cp 0", "cp 0", "cp 0"], 6),
        # Begins again: outside, a win, a move without info, one without a score.
        (["cp 0", "cp 0", "cp 50", "cp 0", "cp 0", "cp 0", "cp 0"], 7),
        (["cp 0", "cp 0", "win 3", "cp 0", "cp 0", "cp 0", "cp 0"], 7),
        (["cp 0", "cp 0", "-", "cp 0", "cp 0", "cp 0", "cp 0"], 7),
        (["cp 0", "cp 0", "cp x", "cp 0", "cp 0", "cp 0", "cp 0"], 7),
        (["cp 0", "cp 0", "win 0", "cp 0", "cp 0", "cp 0", "cp 0"], 7),
    ],
)
def test_a_draw_by_score(scores: list[str], plies: int) -> None:
    ended = Outcome(Cause.SCORE_DRAW, None, "both reported -20 to 20 cp for 2 own moves each")
    assert play(DRAW, *scores) == (plies, ended)


@pytest.mark.parametrize(
    "scores",
    [
        ["cp 0", "cp 0", "cp 0"],
        ["cp 0", "cp 100"] * 10,
        ["cp 100", "cp 0"] * 10,
        ["cp 0", "-"] * 10,
        ["cp 0", "cp 0", "cp 30", "cp 30"] * 10,
        ["win 1", "win -1"] * 10,
        ["-", "-"] * 10,
    ],
)
def test_no_draw_by_score(scores: list[str]) -> None:
    assert play(DRAW, *scores) == (len(scores), None)


def test_the_ply_of_a_draw_counts_every_ply_and_earlier_reports_count() -> None:
    setting = Adjudication(draw=DrawRule(20, 2, 9))
    for opening in (0, 1, 4):
        asked, ended = play(setting, *["cp 0"] * 20, opening=opening)
        assert asked == 9 - opening
        assert ended is not None
        assert ended.cause is Cause.SCORE_DRAW


def test_plies_of_the_opening_are_no_reports() -> None:
    for opening in range(5):
        assert play(DRAW, *["cp 0"] * 9, opening=opening)[0] == 4


LOST, WON = "cp -500", "cp 500"


@pytest.mark.parametrize(
    ("scores", "plies", "loser"),
    [
        ([LOST, WON] * 3, 4, Color.BLACK),
        ([WON, LOST] * 3, 4, Color.WHITE),
        (["win -3", "win 3"] * 3, 4, Color.BLACK),
        (["cp 9000", "mate -1"] * 3, 4, Color.WHITE),
        # The last report to come may be the winner's or the loser's.
        (["cp 0", WON, LOST, WON, LOST, WON], 5, Color.BLACK),
        ([WON, "cp 0", WON, LOST, WON, LOST, WON], 6, Color.WHITE),
        # Begins again: below the bound, no score, the other sign.
        ([LOST, WON, "cp -499", WON, LOST, WON, LOST, WON], 7, Color.BLACK),
        ([LOST, WON, LOST, "cp 499", LOST, WON, LOST, WON], 8, Color.BLACK),
        ([LOST, WON, "-", WON, LOST, WON, LOST, WON], 7, Color.BLACK),
        ([LOST, WON, LOST, "-", LOST, WON, LOST, WON], 8, Color.BLACK),
        ([LOST, WON, WON, WON, LOST, WON, LOST, WON], 7, Color.BLACK),
        ([LOST, WON, LOST, LOST, LOST, WON, LOST, WON], 8, Color.BLACK),
        ([LOST, WON, WON, LOST, WON, LOST], 6, Color.WHITE),
    ],
)
def test_a_resignation_by_score(scores: list[str], plies: int, loser: Color) -> None:
    asked, ended = play(RESIGN, *scores)
    assert asked == plies
    assert ended is not None
    assert (ended.cause, ended.winner) == (Cause.SCORE_RESIGN, loser.opponent)
    assert ended.detail.startswith(f"{loser.word} reported -500 cp or less for 2 own moves")


@pytest.mark.parametrize(
    "scores",
    [
        ["cp 10000", "cp -30"] * 10,
        ["cp -30", "cp 10000"] * 10,
        ["cp 10000", "-"] * 10,
        ["win 1", "win 1"] * 10,
        ["win -1", "win -1"] * 10,
        ["cp -10000", "cp 30"] * 10,
        [LOST, WON, WON, LOST] * 5,
        [LOST, "cp 499"] * 10,
    ],
)
def test_one_word_against_another_decides_nothing(scores: list[str]) -> None:
    assert play(RESIGN, *scores) == (20, None)


def test_alone_the_losers_word_is_enough_and_the_winners_is_not() -> None:
    for scores, plies, winner in (
        ([LOST, "-"] * 5, 3, Color.WHITE),
        (["-", LOST] * 5, 4, Color.BLACK),
        ([LOST, LOST] * 5, 3, Color.WHITE),
    ):
        asked, ended = play(ALONE, *scores)
        assert asked == plies
        assert ended is not None
        assert (ended.cause, ended.winner) == (Cause.SCORE_RESIGN, winner)
    assert play(ALONE, *["win 1", "-"] * 10) == (20, None)
    assert play(ALONE, *["-", "cp 99999"] * 10) == (20, None)


def pass_game(setting: Adjudication, *reports: tuple[str, str]) -> tuple[int, Outcome | None]:
    """Play a game in which Black can only pass; the reports of Black and White, turn by turn."""
    referee = Referee(game(setting, start=BLACK_PASSES))
    for number, report in enumerate(score for turn in reports for score in turn):
        step = referee.next()
        if isinstance(step, Outcome):
            return number, step
        info = None if report == "-" else f"info score {report}".encode()
        move = ("pass", "f1c1", "pass", "c1f1")[number % 4]
        referee.receive(answer(f"bestmove {move}", info=info))
    step = referee.next()
    return len(referee.plies), step if isinstance(step, Outcome) else None


def test_a_count_goes_on_across_a_silent_pass() -> None:
    alone = Adjudication(resign=ResignRule(500, 3, needs_both=False))
    lost, silent, level = ("cp -600", "-"), ("-", "-"), ("cp 0", "-")
    assert pass_game(alone, lost, silent, lost, silent, silent, lost, silent)[0] == 11
    assert pass_game(alone, lost, level, lost, silent, lost, silent, lost)[0] == 13
    # A bot that only ever passes in silence has reported nothing.
    assert pass_game(alone, *[silent] * 9) == (18, None)
    assert pass_game(DRAW, *[("-", "cp 0")] * 9) == (18, None)
    assert pass_game(DRAW, ("cp 0", "cp 0"), ("-", "cp 0"), ("cp 5", "cp 0"))[0] == 5


def test_silence_with_a_move_begins_again_where_a_pass_does_not() -> None:
    both = Adjudication(resign=ResignRule(500, 2))
    assert pass_game(both, (LOST, WON), ("-", WON), (LOST, WON))[0] == 5
    assert pass_game(both, (LOST, WON), (LOST, "-"), (LOST, WON)) == (6, None)


def test_the_board_goes_before_the_scores() -> None:
    rules = RuleSet(repetition=2, max_plies=100)
    referee = Referee(replace(spec("nodes=1", rules=rules), adjudication=DRAW))
    for move in SHUFFLE:
        ask(referee)
        referee.receive(answer(f"bestmove {move}", info=b"info score cp 0"))
    assert outcome(referee) == Outcome(Cause.REPETITION, None)


def test_a_fault_is_no_adjudication() -> None:
    referee = Referee(game(ALONE))
    for move in SHUFFLE[:2]:
        ask(referee)
        referee.receive(answer(f"bestmove {move}", info=b"info score cp -600"))
    ask(referee)
    referee.receive(answer("bestmove b1b2", info=b"info score cp -600"))
    assert outcome(referee).cause is Cause.ILLEGAL_MOVE


def test_scores_are_wanted_only_when_they_decide() -> None:
    assert not ask(Referee(game(Adjudication()))).wants_score
    for setting in (DRAW, RESIGN, ALONE):
        assert ask(Referee(game(setting))).wants_score


def test_a_score_ends_the_game_though_a_draw_is_offered() -> None:
    referee = Referee(game(ALONE), (True, True))
    for number in range(3):
        ask(referee)
        info = b"info score win -4" if number % 2 == 0 else None
        referee.receive(answer(f"bestmove {SHUFFLE[number]} draw", info=info))
    assert outcome(referee).cause is Cause.SCORE_RESIGN
