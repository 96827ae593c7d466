from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from harness.errors import IllegalMoveError
from harness.rules import board
from harness.rules.game import Game
from harness.rules.notation import parse_move, parse_move_strict
from harness.rules.position import STANDARD_START, Position
from harness.rules.types import (
    PASS,
    Color,
    IllegalReason,
    Move,
    NoMovesRule,
    RuleSet,
    SimultaneousRule,
    Termination,
    Verdict,
    make_move,
    origin_of,
    target_of,
)

from .vectors import any_position, records

BOTH_RULES = list(SimultaneousRule)
SHUFFLE = ["b1-b3", "a2-c2", "b3-b1", "c2-a2"]
BLOCKED = next(r["position"] for r in records("positions", "positions") if not r["moves"])


def play_all(game: Game, moves: Iterable[str]) -> None:
    for text in moves:
        assert game.verdict is None
        assert game.play(parse_move(text)) is game.verdict


def told(verdict: Verdict | None) -> tuple[str, str]:
    """The verdict in the words of the vectors."""
    if verdict is None:
        return "*", "unfinished"
    winner = "draw" if verdict.winner is None else verdict.winner.word[0]
    reason = verdict.termination.value.replace("-", "_")
    return winner, reason.removeprefix("simultaneous_")


def rules_of(record: dict[str, Any], simultaneous: SimultaneousRule) -> RuleSet:
    told_rules = record.get("rules", {"repetition": 3, "no_moves": "pass", "max_plies": None})
    return RuleSet(
        simultaneous=simultaneous,
        no_moves=NoMovesRule(told_rules["no_moves"]),
        repetition=told_rules["repetition"] or 0,
        max_plies=told_rules["max_plies"],
    )


@pytest.mark.parametrize("simultaneous", BOTH_RULES)
@pytest.mark.parametrize("name", ["games", "real_games"])
def test_games_of_the_vectors(name: str, simultaneous: SimultaneousRule) -> None:
    for record in records(name, "games"):
        game = Game(any_position(record["start"]), rules_of(record, simultaneous))
        for text in record["moves"]:
            assert game.verdict is None, record["name"]
            move = parse_move_strict(text, game.position)
            assert move in game.legal_moves()
            game.play(move)
        expected = record["results"][simultaneous.value]
        assert told(game.verdict) == (expected["result"], expected["reason"]), record["name"]
        assert len(game.moves) == expected["plies"]


def test_trusted_and_checked_moves_end_alike() -> None:
    for record in records("games", "games"):
        rules = rules_of(record, SimultaneousRule.DRAW)
        checked = Game(any_position(record["start"]), rules)
        trusted = Game(any_position(record["start"]), rules)
        for text in record["moves"]:
            assert checked.play(parse_move(text)) == trusted.push(parse_move(text))
        assert checked.position == trusted.position


def test_a_new_game() -> None:
    game = Game(STANDARD_START, RuleSet())
    assert game.start is STANDARD_START
    assert game.position == STANDARD_START
    assert game.rules == RuleSet()
    assert list(game.moves) == []
    assert game.verdict is None
    assert game.to_move is Color.BLACK
    assert len(game.legal_moves()) == 36


def test_position_follows_the_moves() -> None:
    game, position = Game(STANDARD_START, RuleSet()), STANDARD_START
    for text in ["b1-b3", "h4-f2", "d1xa4", "h2-e2"]:
        position = position.play(parse_move(text))
        game.play(parse_move(text))
        assert game.position == position
        assert game.to_move is position.to_move


def test_a_refused_move_leaves_the_game_as_it_was() -> None:
    game = Game(STANDARD_START, RuleSet())
    with pytest.raises(IllegalMoveError, match="belongs to the opponent"):
        game.play(parse_move("a2-c2"))
    assert list(game.moves) == []
    assert game.position == STANDARD_START
    assert game.fault_of(parse_move("b1-b2")) is IllegalReason.WRONG_DISTANCE
    assert game.fault_of(parse_move("b1-b3")) is None


def test_no_move_after_the_end() -> None:
    game = Game(STANDARD_START, RuleSet(max_plies=1))
    play_all(game, ["b1-b3"])
    assert game.legal_moves() == []
    with pytest.raises(IllegalMoveError, match="the game is over"):
        game.play(parse_move("a2-c2"))
    with pytest.raises(IllegalMoveError, match="the game is over"):
        game.play(parse_move("a2-a3"))
    assert len(game.moves) == 1


@pytest.mark.parametrize(("repetition", "rounds"), [(2, 1), (3, 2), (5, 4)])
def test_repetition_counts_the_start(repetition: int, rounds: int) -> None:
    game = Game(STANDARD_START, RuleSet(repetition=repetition))
    play_all(game, SHUFFLE * rounds)
    assert game.verdict == Verdict(Termination.REPETITION, None)


def test_repetition_off() -> None:
    game = Game(STANDARD_START, RuleSet(repetition=0))
    play_all(game, SHUFFLE * 50)
    assert game.verdict is None


def test_the_same_board_with_the_other_side_to_move_is_no_repetition() -> None:
    # Black walks round a triangle in three moves while White goes there and back in two.
    start = any_position("8/8/8/1b6/6w1/8/8/3w3b b")
    game = Game(start, RuleSet(repetition=2))
    play_all(game, ["b5-b6", "g4-g5", "b6-c6", "g5-g4", "c6-b5"])
    assert (game.position.black, game.position.white) == (start.black, start.white)
    assert game.to_move is Color.WHITE
    assert game.verdict is None


def test_the_same_board_with_colours_swapped_is_no_repetition() -> None:
    start = any_position("8/8/8/8/8/1b2w3/2wb4/8 b")
    game = Game(start, RuleSet(repetition=2))
    play_all(game, ["b3-a2", "e3-f2", "d2-c3", "c2-b3", "c3-e3", "f2-d2", "a2-c2"])
    assert (game.position.own, game.position.enemy) == (start.own, start.enemy)
    assert game.to_move is Color.WHITE
    assert game.verdict is None


def test_the_position_after_a_capture_is_counted() -> None:
    game = Game(any_position("w7/8/8/1b6/6w1/8/8/5w1b b"), RuleSet(repetition=2))
    play_all(game, ["h1xf1", "g4-g5", "b5-b6", "g5-g4", "b6-b5"])
    assert game.verdict == Verdict(Termination.REPETITION, None)


def test_connection_comes_before_the_ply_limit() -> None:
    record = next(
        r for r in records("games", "games") if r["results"]["draw"]["reason"] == "connection"
    )
    rules = RuleSet(max_plies=len(record["moves"]))
    game = Game(any_position(record["start"]), rules)
    play_all(game, record["moves"])
    assert game.verdict is not None
    assert game.verdict.termination is Termination.CONNECTION


def test_repetition_comes_before_the_ply_limit() -> None:
    game = Game(STANDARD_START, RuleSet(repetition=2, max_plies=4))
    play_all(game, SHUFFLE)
    assert game.verdict == Verdict(Termination.REPETITION, None)


def test_ply_limit() -> None:
    game = Game(STANDARD_START, RuleSet(max_plies=3))
    play_all(game, SHUFFLE[:3])
    assert game.verdict == Verdict(Termination.MAX_PLIES, None)


def test_a_blocked_side_passes_under_the_pass_rule() -> None:
    start = any_position(BLOCKED)
    game = Game(start, RuleSet(no_moves=NoMovesRule.PASS))
    assert game.verdict is None
    assert game.legal_moves() == [PASS]
    game.play(PASS)
    assert list(game.moves) == [PASS]
    assert game.to_move is start.to_move.opponent


@pytest.mark.parametrize("rule", [NoMovesRule.LOSS, NoMovesRule.DRAW])
def test_a_blocked_start_is_decided_under_the_other_rules(rule: NoMovesRule) -> None:
    start = any_position(BLOCKED)
    game = Game(start, RuleSet(no_moves=rule))
    winner = start.to_move.opponent if rule is NoMovesRule.LOSS else None
    assert game.verdict == Verdict(Termination.NO_MOVES, winner)
    assert game.legal_moves() == []
    with pytest.raises(IllegalMoveError, match="the game is over"):
        game.play(PASS)


def one_move_before(blocked: Position) -> Iterator[tuple[Position, Move]]:
    """Quiet moves can be taken back, so the other side's lead to what came before."""
    passed = blocked.after(PASS)
    for move in passed.legal_moves():
        before = passed.after(move)
        if not passed.is_capture(move) and not board.is_connected(before.enemy):
            start = Position(before.black, before.white, passed.to_move)
            yield start, make_move(target_of(move), origin_of(move))


@pytest.mark.parametrize("rule", list(NoMovesRule))
def test_a_side_that_a_move_blocks(rule: NoMovesRule) -> None:
    blocked = any_position(BLOCKED)
    tried = 0
    for start, move in one_move_before(blocked):
        game = Game(start, RuleSet(no_moves=rule))
        verdict = game.play(move)
        assert game.position == blocked
        match rule:
            case NoMovesRule.PASS:
                assert verdict is None
                assert game.legal_moves() == [PASS]
            case NoMovesRule.LOSS:
                assert verdict == Verdict(Termination.NO_MOVES, start.to_move)
            case NoMovesRule.DRAW:
                assert verdict == Verdict(Termination.NO_MOVES, None)
        limited = Game(start, RuleSet(no_moves=rule, max_plies=1))
        assert limited.play(move) == Verdict(Termination.MAX_PLIES, None)
        tried += 1
    assert tried > 0


@pytest.mark.parametrize("rule", list(NoMovesRule))
def test_a_pass_is_refused_where_moves_are(rule: NoMovesRule) -> None:
    game = Game(STANDARD_START, RuleSet(no_moves=rule))
    assert game.fault_of(PASS) is IllegalReason.PASS_NOT_FORCED
    with pytest.raises(IllegalMoveError):
        game.play(PASS)


def test_a_connected_start_counts_as_the_other_side_s_move() -> None:
    both = any_position("8/8/8/8/8/8/ww6/6bb b")
    draw = Game(both, RuleSet(simultaneous=SimultaneousRule.DRAW))
    mover = Game(both, RuleSet(simultaneous=SimultaneousRule.MOVER))
    assert draw.verdict == Verdict(Termination.SIMULTANEOUS_CONNECTION, None)
    assert mover.verdict == Verdict(Termination.SIMULTANEOUS_CONNECTION, Color.WHITE)
    only_black = any_position("8/8/8/8/8/8/w1w5/6bb b")
    assert Game(only_black, RuleSet()).verdict == Verdict(Termination.CONNECTION, Color.BLACK)


@pytest.mark.parametrize("simultaneous", BOTH_RULES)
@pytest.mark.parametrize(
    ("start", "winner"),
    [
        ("3b3w/8/7b/8/8/8/8/ww6 b", Color.WHITE),  # only the opponent is connected
        ("3b3w/8/7b/8/8/8/8/w7 b", Color.WHITE),  # its last piece is a group
        ("6bw/8/7b/8/8/8/8/w2w4 b", Color.BLACK),  # only the mover is connected
    ],
)
def test_a_capture_that_connects_one_side(
    start: str, winner: Color, simultaneous: SimultaneousRule
) -> None:
    game = Game(any_position(start), RuleSet(simultaneous=simultaneous))
    play_all(game, ["h6xh8"])
    assert game.verdict == Verdict(Termination.CONNECTION, winner)


@pytest.mark.parametrize("second", ["ww6", "w7"])
def test_a_capture_that_connects_both(second: str) -> None:
    start = any_position(f"6bw/8/7b/8/8/8/8/{second} b")
    draw = Game(start, RuleSet(simultaneous=SimultaneousRule.DRAW))
    mover = Game(start, RuleSet(simultaneous=SimultaneousRule.MOVER))
    play_all(draw, ["h6xh8"])
    play_all(mover, ["h6xh8"])
    assert draw.verdict == Verdict(Termination.SIMULTANEOUS_CONNECTION, None)
    assert mover.verdict == Verdict(Termination.SIMULTANEOUS_CONNECTION, Color.BLACK)
