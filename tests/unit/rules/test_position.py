from __future__ import annotations

import dataclasses
import pickle

import pytest

from harness.errors import IllegalMoveError, PositionError
from harness.rules.notation import format_fen, format_move, parse_fen, parse_move, parse_square
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position, Setup
from harness.rules.types import PASS, Color

from .vectors import any_position, records


def test_single_moves_of_the_vectors() -> None:
    for record in records("applied", "moves"):
        position = any_position(record["position"])
        move = parse_move(record["move"])
        assert format_fen(position.play(move)) == record["after"]
        assert position.after(move) == position.play(move)
        assert format_move(position, move) == record["move"]
        assert position.is_capture(move) == ("x" in record["move"])


def test_starts_are_those_of_the_rules() -> None:
    assert str(STANDARD_START) == "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b"
    assert str(SCRAMBLED_EGGS_START) == "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b"
    assert SCRAMBLED_EGGS_START.white >> parse_square("a2") & 1
    for start in (STANDARD_START, SCRAMBLED_EGGS_START):
        assert Setup(start.black, start.white, start.to_move).position() == start


def test_scrambled_eggs_mirrored_is_itself_with_colours_swapped() -> None:
    def mirrored(pieces: int) -> int:
        return sum(1 << (square ^ 7) for square in range(64) if pieces >> square & 1)

    assert mirrored(SCRAMBLED_EGGS_START.black) == SCRAMBLED_EGGS_START.white
    assert mirrored(SCRAMBLED_EGGS_START.white) == SCRAMBLED_EGGS_START.black


def test_own_and_enemy_follow_the_side_to_move() -> None:
    black_first = STANDARD_START
    white_first = dataclasses.replace(STANDARD_START, to_move=Color.WHITE)
    assert (black_first.own, black_first.enemy) == (black_first.black, black_first.white)
    assert (white_first.own, white_first.enemy) == (white_first.white, white_first.black)


def test_a_refused_move_says_move_reason_and_position() -> None:
    with pytest.raises(IllegalMoveError) as caught:
        STANDARD_START.play(parse_move("b1b2"))
    assert caught.value.move == "b1-b2"
    assert caught.value.position == str(STANDARD_START)
    assert "as many squares" in caught.value.reason
    with pytest.raises(IllegalMoveError, match="pass is illegal"):
        STANDARD_START.play(PASS)


def test_a_pass_changes_the_side_alone() -> None:
    record = next(r for r in records("positions", "positions") if not r["moves"])
    position = any_position(record["position"])
    after = position.play(PASS)
    assert (after.black, after.white) == (position.black, position.white)
    assert after.to_move is position.to_move.opponent


def test_positions_are_values() -> None:
    copy = pickle.loads(pickle.dumps(STANDARD_START))
    assert copy == STANDARD_START
    assert hash(copy) == hash(STANDARD_START)
    assert copy.to_move is Color.BLACK
    with pytest.raises(dataclasses.FrozenInstanceError):
        copy.black = 0


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("8/8/8/8/8/8/8/8 b", ["Black has no pieces", "White has no pieces"]),
        ("8/8/8/8/8/8/8/w6w b", ["Black has no pieces"]),
        ("8/8/8/8/8/8/8/w5bb b", ["Black is already connected", "White is already connected"]),
        ("w6w/8/8/8/8/8/8/b7 w", ["Black is already connected"]),
        ("8/w6w/8/8/8/bbbbbb2/8/bbbbbbbb b", ["Black has 14 pieces"]),
        (
            "bbbbbbbb/bbbbb3/8/8/8/8/8/8 w",
            ["Black has 13 pieces", "Black is already connected", "White has no pieces"],
        ),
    ],
)
def test_starts_are_refused_with_every_reason(text: str, reasons: list[str]) -> None:
    with pytest.raises(PositionError) as caught:
        parse_fen(text).position()
    assert caught.value.position == text
    assert len(caught.value.reasons) == len(reasons)
    for found, expected in zip(caught.value.reasons, reasons, strict=True):
        assert found.startswith(expected)


def test_a_square_cannot_hold_two_pieces() -> None:
    setup = Setup(STANDARD_START.black | 1 << 8, STANDARD_START.white, Color.BLACK)
    with pytest.raises(PositionError) as caught:
        setup.position()
    assert caught.value.reasons == (
        "1 square holds two pieces",
        "Black has 13 pieces, more than 12",
    )
    assert caught.value.position.endswith("/?6w/1bbbbbb1 b")


def test_positions_of_the_vectors_are_starts() -> None:
    for record in records("positions", "positions"):
        setup = parse_fen(record["position"])
        assert setup.position() == Position(setup.black, setup.white, setup.to_move)
