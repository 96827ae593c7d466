"""Resignation and draw offers, as PROTOCOL.md has them."""

from __future__ import annotations

import pytest

from harness.play.bot_definition import BotProtocol
from harness.play.referee import Referee
from harness.play.types import Answer, Cause, CauseKind, Outcome
from harness.rules.types import Color, RuleSet
from tests.unit.play.test_referee import answer, ask, outcome, spec
from tests.unit.play.test_referee_scores import BLACK_PASSES

BOTH = (True, True)
MOVES = ("b1b3", "h4f2", "b3b1", "f2h4")


def say(referee: Referee, text: str) -> None:
    ask(referee)
    referee.receive(answer(f"bestmove {text}"))


def is_offered(referee: Referee) -> bool:
    request = ask(referee).request
    assert request.count(b"drawoffer") == request.endswith(b" drawoffer\n")
    return request.endswith(b" drawoffer\n")


@pytest.mark.parametrize("side", list(Color))
@pytest.mark.parametrize("words", ["resign", "resign now", " resign", "resign draw"])
def test_a_resignation_is_lost_for_the_side_that_was_asked(side: Color, words: str) -> None:
    referee = Referee(spec("5"))
    for move in MOVES[: 2 + side]:
        say(referee, move)
    say(referee, words)
    assert outcome(referee) == Outcome(Cause.RESIGNATION, side.opponent)
    assert outcome(referee).cause.kind is CauseKind.CONCESSION
    assert len(referee.plies) == 2 + side
    assert referee.final_reply == f"bestmove {words}"


def test_a_late_resignation_is_a_loss_on_time() -> None:
    referee = Referee(spec("1"))
    ask(referee)
    referee.receive(answer("bestmove resign", 1_051))
    assert outcome(referee).cause is Cause.TIME


@pytest.mark.parametrize("words", ["Resign", "RESIGN", "resigns", "DRAW", "draws"])
def test_other_words_are_no_concession(words: str) -> None:
    referee = Referee(spec("5"), BOTH)
    say(referee, "b1b3 draw")
    say(referee, words)
    assert outcome(referee).cause is Cause.MALFORMED_REPLY


def test_a_resignation_may_answer_an_offer() -> None:
    referee = Referee(spec("5"), BOTH)
    say(referee, "b1b3 draw")
    say(referee, "resign")
    assert outcome(referee) == Outcome(Cause.RESIGNATION, Color.BLACK)


@pytest.mark.parametrize("side", list(Color))
@pytest.mark.parametrize("control", ["5+0.05", "40/60", "move=0.5", "nodes=1", "5,depth=3"])
@pytest.mark.parametrize("protocol", list(BotProtocol))
def test_an_offer_is_the_last_word_and_may_be_accepted(
    side: Color, control: str, protocol: BotProtocol
) -> None:
    referee = Referee(spec(control, protocol=protocol), BOTH)
    for move in MOVES[:side]:
        say(referee, move)
    assert not is_offered(referee)
    say(referee, f"{MOVES[side]} draw")
    assert is_offered(referee)
    say(referee, "draw")
    assert outcome(referee) == Outcome(Cause.AGREEMENT, None)
    assert outcome(referee).cause.kind is CauseKind.CONCESSION
    assert len(referee.plies) == 1 + side
    assert referee.final_reply == "bestmove draw"


def test_an_offer_stands_for_one_turn_and_may_be_made_again() -> None:
    referee = Referee(spec("5"), BOTH)
    say(referee, "b1b3 draw")
    assert is_offered(referee)
    say(referee, "h4f2")
    assert not is_offered(referee)
    say(referee, "b3b1")
    assert not is_offered(referee)
    say(referee, "draw")
    assert outcome(referee).cause is Cause.MALFORMED_REPLY
    assert outcome(referee).detail == "accepted a draw that was not offered"
    assert outcome(referee).winner is Color.BLACK


def test_the_answer_to_an_offer_may_be_an_offer() -> None:
    referee = Referee(spec("5"), BOTH)
    for move in MOVES:
        say(referee, f"{move} draw")
        assert is_offered(referee)
    say(referee, "draw")
    assert outcome(referee).cause is Cause.AGREEMENT


@pytest.mark.parametrize("offers", [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("side", list(Color))
def test_an_offer_that_not_both_understand_is_only_a_move(
    offers: tuple[bool, bool], side: Color
) -> None:
    referee = Referee(spec("5"), offers)
    for move in MOVES[:side]:
        say(referee, move)
    say(referee, f"{MOVES[side]} draw")
    assert not is_offered(referee)
    assert len(referee.plies) == 1 + side
    say(referee, "draw")
    assert outcome(referee).cause is Cause.MALFORMED_REPLY
    assert outcome(referee).winner is side


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("b1b3 draw", True),
        ("B1-B3 draw", True),
        ("b1b3\tdraw please", True),
        ("b1b3  draw \r", True),
        ("b1b3 please draw", False),
        ("b1b3 DRAW", False),
        ("b1b3 draws", False),
        ("b1b3 ponder h4f2", False),
    ],
)
def test_the_word_follows_the_move_at_once(text: str, offered: bool) -> None:
    referee = Referee(spec("5"), BOTH)
    ask(referee)
    referee.receive(Answer(b"bestmove " + text.encode(), 5, None))
    assert is_offered(referee) is offered


def test_a_pass_may_carry_an_offer() -> None:
    referee = Referee(spec("5", start=BLACK_PASSES), BOTH)
    say(referee, "pass draw")
    assert is_offered(referee)
    say(referee, "draw")
    assert outcome(referee).cause is Cause.AGREEMENT


def test_an_offer_with_an_illegal_move_or_after_the_flag_is_none() -> None:
    for text, elapsed_ms, cause in (
        ("b1b2 draw", 1, Cause.ILLEGAL_MOVE),
        ("b1b3 draw", 6_000, Cause.TIME),
    ):
        referee = Referee(spec("5"), BOTH)
        ask(referee)
        referee.receive(answer(f"bestmove {text}", elapsed_ms))
        assert outcome(referee).cause is cause


def test_an_acceptance_after_the_flag_is_a_loss_on_time() -> None:
    referee = Referee(spec("5"), BOTH)
    say(referee, "b1b3 draw")
    ask(referee)
    referee.receive(answer("bestmove draw", 6_000))
    assert outcome(referee) == Outcome(Cause.TIME, Color.BLACK, "answered 950.0 ms too late")


def test_the_board_ends_a_game_whatever_is_offered() -> None:
    referee = Referee(spec("5", rules=RuleSet(repetition=2)), BOTH)
    for move in MOVES:
        say(referee, f"{move} draw")
    assert outcome(referee).cause is Cause.REPETITION
