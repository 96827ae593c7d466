"""The referee decides from replies and nanoseconds alone."""

from __future__ import annotations

import pytest

from harness.play.bot_definition import BotProtocol
from harness.play.clock import TimeControl
from harness.play.referee import Referee
from harness.play.runner import play
from harness.play.types import (
    Answer,
    Ask,
    Cause,
    Exited,
    GameSpec,
    Opening,
    Outcome,
    Overflowed,
    PlayerSpec,
    Reply,
    TimedOut,
)
from harness.protocol.codec import decode_request
from harness.protocol.messages import Go, SetPosition
from harness.rules.notation import parse_move, parse_start
from harness.rules.position import STANDARD_START
from harness.rules.types import Color, NoMovesRule, RuleSet

MS = 1_000_000


def spec(
    control: str = "5+0.05",
    *,
    white: str | None = None,
    start: str = "standard",
    moves: tuple[str, ...] = (),
    rules: RuleSet | None = None,
    protocol: BotProtocol = BotProtocol.UGI,
    margin_ms: int = 50,
) -> GameSpec:
    return GameSpec(
        game_id="a~b.1a",
        encounter="a~b",
        pair=1,
        leg="a",
        batch=0,
        schedule_index=0,
        black=PlayerSpec("a", TimeControl.parse(control), protocol),
        white=PlayerSpec("b", TimeControl.parse(white or control), protocol),
        opening=Opening(parse_start(start), tuple(parse_move(move) for move in moves)),
        rules=rules or RuleSet(),
        margin_ns=margin_ms * MS,
        max_think_ns=120_000 * MS,
    )


def answer(text: str, elapsed_ms: float = 1.0, info: bytes | None = None) -> Answer:
    return Answer(text.encode(), int(elapsed_ms * MS), info)


def ask(referee: Referee) -> Ask:
    step = referee.next()
    assert isinstance(step, Ask)
    return step


def outcome(referee: Referee) -> Outcome:
    step = referee.next()
    assert isinstance(step, Outcome)
    return step


class Script:
    """A transport that answers from a list and keeps what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.asked: list[Ask] = []

    def ask(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        return self._replies.pop(0)


def test_requests_carry_the_whole_game_and_both_clocks() -> None:
    referee = Referee(spec("5+0.05"))
    first = ask(referee)
    assert first.side is Color.BLACK
    assert first.request == (b"position startpos\ngo p1time 5000 p2time 5000 p1inc 50 p2inc 50\n")
    assert first.budget_ns == 5050 * MS
    assert first.repeat is None
    referee.receive(answer("bestmove b1b3", 1000))
    second = ask(referee)
    assert second.side is Color.WHITE
    assert second.request == (
        b"position startpos moves b1b3\ngo p1time 4050 p2time 5000 p1inc 50 p2inc 50\n"
    )
    referee.receive(answer("bestmove H4-F2", 1))
    third = ask(referee)
    assert third.request.startswith(
        b"position startpos moves b1b3 h4f2\ngo p1time 4050 p2time 5049"
    )
    assert third.repeat == b"bestmove b1b3"


def test_an_opening_is_part_of_the_request_and_decides_who_is_asked() -> None:
    referee = Referee(spec("nodes=200", moves=("b1b3",)))
    first = ask(referee)
    assert first.side is Color.WHITE
    assert first.request == b"position startpos moves b1b3\ngo nodes 200\n"
    assert first.budget_ns == 120_000 * MS


def test_another_start_goes_as_fen() -> None:
    fen = "8/1w1b4/2b5/8/6b1/8/1w2b3/8 w"
    referee = Referee(spec("move=0.5,depth=3", start=fen))
    first = ask(referee)
    assert first.side is Color.WHITE
    assert first.request == f"position fen {fen}\ngo movetime 500 depth 3\n".encode()
    assert first.budget_ns == 550 * MS
    referee.receive(answer("bestmove b2-b4"))
    assert ask(referee).request.startswith(f"position fen {fen} moves b2b4\n".encode())


def test_uci_calls_the_first_mover_white() -> None:
    referee = Referee(spec("40/60+0.6", protocol=BotProtocol.UCI))
    assert ask(referee).request == (
        b"position startpos\ngo wtime 60000 btime 60000 winc 600 binc 600 movestogo 40\n"
    )


@pytest.mark.parametrize("protocol", list(BotProtocol))
@pytest.mark.parametrize("control", ["5+0.05", "40/60+0.6", "move=0.5,depth=3", "3,nodes=7"])
def test_a_request_is_read_back_as_it_was_meant(control: str, protocol: BotProtocol) -> None:
    first, second = ask(Referee(spec(control, protocol=protocol))).request.decode().splitlines()
    assert decode_request(first) == SetPosition(None, ())
    time_control = TimeControl.parse(control)
    base = time_control.base_ns and time_control.base_ns // MS
    increment = (time_control.increment_ns or 0) // MS if base else None
    assert decode_request(second) == Go(
        first_time_ms=base,
        second_time_ms=base,
        first_increment_ms=increment,
        second_increment_ms=increment,
        moves_to_go=time_control.moves_per_period,
        move_time_ms=time_control.move_time_ms,
        nodes=time_control.nodes,
        depth=time_control.depth,
    )


def test_odds_give_each_side_its_own_terms() -> None:
    referee = Referee(spec("10", white="nodes=5"))
    assert ask(referee).request.endswith(b"\ngo p1time 10000 p1inc 0\n")
    referee.receive(answer("bestmove b1b3"))
    assert ask(referee).request.endswith(b"\ngo nodes 5\n")


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (TimedOut(5_100 * MS), Cause.TIME),
        (answer("bestmove b1b3", 5_050.001), Cause.TIME),
        (answer("bestmove b1b9", 5_051), Cause.TIME),
        (Exited("exited with code 1", MS), Cause.CRASH),
        (Overflowed(17 << 20, MS), Cause.OUTPUT_OVERFLOW),
        (answer("bestmove b1b2"), Cause.ILLEGAL_MOVE),
        (answer("bestmove a3c1"), Cause.ILLEGAL_MOVE),
        (answer("bestmove pass"), Cause.ILLEGAL_MOVE),
        (answer("bestmove"), Cause.MALFORMED_REPLY),
        (answer("bestmove "), Cause.MALFORMED_REPLY),
        (answer("bestmove b1b9"), Cause.MALFORMED_REPLY),
        (answer("bestmove \x00\x1b[2J"), Cause.MALFORMED_REPLY),
        (answer("bestmove (none)"), Cause.MALFORMED_REPLY),
        (answer("bestmove draw"), Cause.MALFORMED_REPLY),
        (answer("bestmove resign"), Cause.RESIGNATION),
    ],
)
def test_a_fault_of_the_asked_bot_loses(reply: Reply, cause: Cause) -> None:
    black_at_fault = Referee(spec("5"))
    ask(black_at_fault)
    black_at_fault.receive(reply)
    assert (outcome(black_at_fault).cause, outcome(black_at_fault).winner) == (cause, Color.WHITE)
    white_at_fault = Referee(spec("5", moves=("b1b3",)))
    ask(white_at_fault)
    if isinstance(reply, Answer) and reply.line == b"bestmove a3c1":
        reply = answer("bestmove c1a3")
    white_at_fault.receive(reply)
    assert (outcome(white_at_fault).cause, outcome(white_at_fault).winner) == (cause, Color.BLACK)


def test_an_answer_inside_the_margin_counts_but_stays_owed() -> None:
    referee = Referee(spec("1", margin_ms=50))
    ask(referee)
    referee.receive(answer("bestmove b1b3", 1_050))
    ask(referee)
    referee.receive(answer("bestmove h4f2"))
    again = ask(referee)
    assert again.budget_ns == 0
    assert b"p1time 1 " in again.request
    referee.receive(answer("bestmove b3b1", 0.001))
    assert outcome(referee).cause is Cause.TIME


def test_the_clock_is_charged_what_was_used_and_the_increment_added() -> None:
    referee = Referee(spec("2+0.5"))
    for move in ("b1b3", "h4f2", "b3b1", "f2h4"):
        ask(referee)
        referee.receive(answer(f"bestmove {move}", 700))
    assert b"p1time 1600 p2time 1600" in ask(referee).request


def test_a_pass_is_not_held_for_a_repeat() -> None:
    referee = Referee(spec("nodes=1", start="6wb/6ww/8/8/8/8/ww6/bw6 b"))
    ask(referee)
    referee.receive(answer("bestmove pass"))
    ask(referee)
    referee.receive(answer("bestmove a2a4"))
    assert ask(referee).repeat is None


def test_the_board_ends_a_game() -> None:
    referee = Referee(spec("nodes=1", rules=RuleSet(repetition=2)))
    for move in ("b1b3", "h4f2", "b3b1", "f2h4"):
        ask(referee)
        referee.receive(answer(f"bestmove {move}"))
    assert outcome(referee) == Outcome(Cause.REPETITION, None)
    assert [ply.elapsed_ns for ply in referee.plies] == [MS] * 4


def test_a_game_may_be_over_before_anybody_is_asked() -> None:
    rules = RuleSet(no_moves=NoMovesRule.LOSS)
    referee = Referee(spec("nodes=1", start="6wb/6ww/8/8/8/8/ww6/bw6 b", rules=rules))
    assert outcome(referee) == Outcome(Cause.NO_MOVES, Color.WHITE)
    assert referee.plies == []


def test_a_draw_offer_reaches_the_opponent_and_may_be_accepted() -> None:
    referee = Referee(spec("nodes=1"), (True, True))
    ask(referee)
    referee.receive(answer("bestmove b1b3 draw"))
    assert ask(referee).request.endswith(b"go nodes 1 drawoffer\n")
    referee.receive(answer("bestmove draw"))
    assert outcome(referee) == Outcome(Cause.AGREEMENT, None)


def test_a_draw_offer_is_declined_by_moving_on() -> None:
    referee = Referee(spec("nodes=1"), (True, True))
    ask(referee)
    referee.receive(answer("bestmove b1b3 draw"))
    ask(referee)
    referee.receive(answer("bestmove h4f2"))
    assert ask(referee).request.endswith(b"go nodes 1\n")


def test_a_draw_offer_needs_both_to_know_it() -> None:
    referee = Referee(spec("nodes=1"), (True, False))
    ask(referee)
    referee.receive(answer("bestmove b1b3 draw"))
    assert ask(referee).request.endswith(b"go nodes 1\n")


def test_the_runner_asks_each_side_in_turn() -> None:
    black = Script(answer("bestmove b1b3"), answer("bestmove b3b1"))
    white = Script(answer("bestmove h4f2"), Exited("exited with code 3", 5))
    referee = Referee(spec("nodes=1"))
    assert play(referee, (black, white)) == Outcome(Cause.CRASH, Color.BLACK, "exited with code 3")
    assert [asked.side for asked in black.asked] == [Color.BLACK] * 2
    assert [asked.side for asked in white.asked] == [Color.WHITE] * 2
    assert len(referee.plies) == 3
    assert referee.plies[0].move == parse_move("b1b3")
    assert STANDARD_START.to_move is Color.BLACK
