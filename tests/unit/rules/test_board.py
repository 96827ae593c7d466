from __future__ import annotations

import itertools

import pytest

from harness.rules import board
from harness.rules.notation import format_move, parse_fen, parse_move, parse_square
from harness.rules.position import STANDARD_START
from harness.rules.types import PASS, IllegalReason, Move

from .vectors import any_position, records

R = IllegalReason


def test_legal_moves_of_the_vectors() -> None:
    blocked = 0
    for record in records("positions", "positions"):
        position = any_position(record["position"])
        moves = board.legal_moves(position.own, position.enemy)
        assert sorted(format_move(position, move) for move in moves) == record["moves"]
        assert board.has_legal_move(position.own, position.enemy) == bool(moves)
        assert board.count_moves(position.own, position.enemy) == len(moves)
        assert (board.move_fault(position.own, position.enemy, PASS) is None) == (not moves)
        blocked += not moves
    assert blocked > 0


def test_order_of_moves_is_the_same_every_time() -> None:
    first = board.legal_moves(STANDARD_START.own, STANDARD_START.enemy)
    assert len(first) == len(set(first)) == 36
    assert board.legal_moves(STANDARD_START.own, STANDARD_START.enemy) == first


def test_a_returned_list_may_be_changed() -> None:
    board.legal_moves(STANDARD_START.own, STANDARD_START.enemy).clear()
    assert len(board.legal_moves(STANDARD_START.own, STANDARD_START.enemy)) == 36


def test_moves_are_judged_one_by_one_as_they_are_listed() -> None:
    for record in records("positions", "positions")[::6]:
        position = any_position(record["position"])
        legal = set(position.legal_moves())
        passed = {
            move
            for move in map(Move, range(4095))
            if board.move_fault(position.own, position.enemy, move) is None
        }
        assert passed == legal


@pytest.mark.parametrize(
    ("position", "move", "reason"),
    [
        ("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b", "d4-d6", R.NO_PIECE),
        ("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b", "a2-c2", R.NOT_YOUR_PIECE),
        ("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b", "b1-c3", R.NOT_ON_A_LINE),
        ("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b", "b1-b2", R.WRONG_DISTANCE),
        ("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b", "b1-b8", R.WRONG_DISTANCE),
        ("1b1bbbb1/w6w/w1b4w/w6w/w6w/w6w/w6w/1bbbbbb1 w", "a6-d6", R.BLOCKED_BY_ENEMY),
        ("8/8/8/8/8/8/8/bbb4w b", "a1-e1", None),
        ("8/8/8/8/8/8/8/bb3b1w b", "b1-f1", R.OWN_PIECE_ON_TARGET),
        ("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b", "pass", R.PASS_NOT_FORCED),
    ],
)
def test_reasons(position: str, move: str, reason: IllegalReason | None) -> None:
    assert any_position(position).fault_of(parse_move(move)) is reason


def test_reasons_of_the_vectors() -> None:
    words = {
        "jumps over an enemy": R.BLOCKED_BY_ENEMY,
        "wrong distance": R.WRONG_DISTANCE,
        "moves the opponent's piece": R.NOT_YOUR_PIECE,
        "not the side to move": R.NOT_YOUR_PIECE,
        "not a straight line": R.NOT_ON_A_LINE,
        "no piece on": R.NO_PIECE,
        "a pass is legal only": R.PASS_NOT_FORCED,
    }
    judged = 0
    for record in records("illegal", "moves"):
        found = [reason for text, reason in words.items() if record["why"].startswith(text)]
        if found:
            position = any_position(record["position"])
            assert position.fault_of(parse_move(record["move"])) is found[0], record
            judged += 1
    assert judged > 60


def test_a_blocked_side_must_pass() -> None:
    record = next(r for r in records("positions", "positions") if not r["moves"])
    position = any_position(record["position"])
    assert position.fault_of(PASS) is None
    faults = {position.fault_of(move) for move in map(Move, range(4095))}
    assert faults == {R.MUST_PASS}


def test_number_of_the_pass_is_no_move_of_a_piece_on_h8() -> None:
    position = any_position("7b/8/8/8/8/8/8/w1w4b b")
    assert position.fault_of(PASS) is R.PASS_NOT_FORCED
    assert board.apply_move(position.own, position.enemy, PASS) == (position.own, position.enemy)


@pytest.mark.parametrize("squares", [range(8), range(0, 64, 8), range(0, 64, 9), range(7, 63, 7)])
def test_every_pattern_of_a_line(squares: range) -> None:
    for pattern in itertools.product(" bw", repeat=8):
        own = sum(1 << s for s, piece in zip(squares, pattern, strict=True) if piece == "b")
        enemy = sum(1 << s for s, piece in zip(squares, pattern, strict=True) if piece == "w")
        places = {place: piece for place, piece in enumerate(pattern) if piece != " "}
        expected = {
            origin * 64 + target
            for origin, target in itertools.permutations(squares, 2)
            if along_a_line(places, squares.index(origin), squares.index(target))
        }
        listed = {
            move for move in board.legal_moves(own, enemy) if {move >> 6, move & 63} <= {*squares}
        }
        judged = {
            origin * 64 + target
            for origin, target in itertools.permutations(squares, 2)
            if board.move_fault(own, enemy, Move(origin * 64 + target)) is None
        }
        assert listed == judged == expected


def along_a_line(places: dict[int, str], origin: int, target: int) -> bool:
    between = range(min(origin, target) + 1, max(origin, target))
    return (
        places.get(origin) == "b"
        and places.get(target) != "b"
        and abs(origin - target) == len(places)
        and all(places.get(place) != "w" for place in between)
    )


def test_groups_of_the_vectors() -> None:
    for record in records("connectivity", "boards"):
        setup = parse_fen(record["position"])
        for pieces, groups in (
            (setup.black, record["groups"]["b"]),
            (setup.white, record["groups"]["w"]),
        ):
            assert board.count_groups(pieces) == groups
            assert board.is_connected(pieces) == (groups == 1)


def test_no_pieces_are_no_group() -> None:
    assert not board.is_connected(0)
    assert board.count_groups(0) == 0


@pytest.mark.parametrize("square", range(64))
def test_one_piece_is_a_group(square: int) -> None:
    assert board.is_connected(1 << square)


def test_neighbours_do_not_wrap_round_the_edge() -> None:
    for rank in range(7):
        h_and_next_a = 1 << (rank * 8 + 7) | 1 << (rank * 8 + 8)
        assert not board.is_connected(h_and_next_a)
    assert not board.is_connected(1 << 63 | 1)


def test_longest_chain_is_one_group() -> None:
    snake = parse_fen("bbbbbbbb/7b/bbbbbbb1/b7/bbbbbbbb/7b/bbbbbbb1/w7 b").black
    assert board.is_connected(snake)
    for joint in ("h7", "a5", "h3"):
        assert board.count_groups(snake ^ 1 << parse_square(joint)) == 2
        assert not board.is_connected(snake ^ 1 << parse_square(joint))
