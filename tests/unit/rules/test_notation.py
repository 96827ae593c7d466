from __future__ import annotations

import random

import pytest

from harness.errors import NotationError, PositionError
from harness.rules.notation import (
    WIRE,
    WIRE_BYTES,
    format_fen,
    format_move,
    format_moves,
    format_square,
    parse_fen,
    parse_move,
    parse_move_strict,
    parse_square,
    parse_start,
    wire_text,
)
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.types import PASS, Move, Square, make_move

from .vectors import any_position, records

STANDARD_TEXT = "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b"
B1_B3 = make_move(Square(1), Square(17))


def test_squares() -> None:
    assert [parse_square(name) for name in ("a1", "b1", "h1", "a2", "h8")] == [0, 1, 7, 8, 63]
    assert parse_square("H8") == 63
    assert [parse_square(format_square(Square(n))) for n in range(64)] == list(range(64))


@pytest.mark.parametrize("text", ["", "a", "a0", "a9", "i1", "1a", "a1a1", "a\u0661", "\u04301"])
def test_no_squares(text: str) -> None:
    with pytest.raises(NotationError, match="a-h and a digit 1-8"):
        parse_square(text)


@pytest.mark.parametrize(
    "text",
    [
        "b1-b3",
        "b1xb3",
        "b1:b3",
        "b1b3",
        "B1-B3",
        "B1XB3",
        "b1-b3+",
        "b1b3++!",
        "b1-b3#",
        "b1:b3??",
        " b1-b3 ",
        "b1b3\n",
    ],
)
def test_all_forms_of_a_move_are_read(text: str) -> None:
    assert parse_move(text) == B1_B3


@pytest.mark.parametrize("text", ["pass", "PASS", "Pass+", " pass\n"])
def test_a_pass_is_read(text: str) -> None:
    assert parse_move(text) == PASS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "b1",
        "b1-",
        "b1--b3",
        "b1 b3",
        "i1-b3",
        "b1-b9",
        "b0-b3",
        "passe",
        "+",
        "b1-b3x",
        "0,1",
        "b1-b\u0663",
        "resign",
        "b1-b3 b3-b1",
        "b1\u2013b3",
    ],
)
def test_no_moves(text: str) -> None:
    with pytest.raises(NotationError, match="b1-b3, d1xa4") as caught:
        parse_move(text)
    assert caught.value.text == text


@pytest.mark.parametrize("text", ["b1-b1", "h8-h8", "H8H8"])
def test_a_move_to_the_same_square_is_none_and_never_the_pass(text: str) -> None:
    with pytest.raises(NotationError, match="another square"):
        parse_move(text)
    with pytest.raises(NotationError):
        parse_move_strict(text, STANDARD_START)


def test_strict_form_is_checked_against_the_board() -> None:
    assert parse_move_strict("b1-b3", STANDARD_START) == B1_B3
    assert parse_move_strict("c1xa3", STANDARD_START) == parse_move("c1a3")
    assert parse_move_strict("pass", STANDARD_START) == PASS
    with pytest.raises(NotationError, match="write x"):
        parse_move_strict("c1-a3", STANDARD_START)
    with pytest.raises(NotationError, match="write -"):
        parse_move_strict("c1xc3", STANDARD_START)


@pytest.mark.parametrize("text", ["b1b3", "B1-B3", "b1-b3+", " b1-b3", "b1:b3", "PASS", "b1-b3\n"])
def test_strict_form_is_the_written_form_alone(text: str) -> None:
    with pytest.raises(NotationError, match="exactly"):
        parse_move_strict(text, STANDARD_START)


def test_illegal_moves_of_the_vectors_are_refused() -> None:
    for record in records("illegal", "moves"):
        position = any_position(record["position"])
        try:
            move = parse_move_strict(record["move"], position)
        except NotationError:
            continue
        assert position.fault_of(move) is not None, record


def test_moves_are_written_in_one_form() -> None:
    assert format_move(STANDARD_START, B1_B3) == "b1-b3"
    assert format_move(STANDARD_START, parse_move("c1a3")) == "c1xa3"
    assert format_move(STANDARD_START, PASS) == "pass"
    moves = [parse_move(text) for text in ("b1b3", "h4f2", "d1a4")]
    assert format_moves(STANDARD_START, moves) == ["b1-b3", "h4-f2", "d1xa4"]


@pytest.mark.parametrize("start", [STANDARD_START, SCRAMBLED_EGGS_START])
def test_moves_of_a_game_are_written_as_each_from_its_position(start: Position) -> None:
    chance, captures = random.Random(3), 0
    for _ in range(20):
        position, moves, texts = start, [], []
        for _ in range(150):
            move = chance.choice(position.legal_moves() or [PASS])
            moves.append(move)
            texts.append(format_move(position, move))
            position = position.after(move)
        assert format_moves(start, moves) == texts
        captures += sum("x" in text for text in texts)
    assert captures > 100


def test_wire_forms_are_all_pairs_of_squares_and_the_pass() -> None:
    assert len(WIRE) == 64 * 63 + 1
    assert WIRE[b"b1b3"] == B1_B3
    assert WIRE[b"a1b8"] == make_move(Square(0), Square(57))
    assert WIRE[b"pass"] == PASS
    assert WIRE_BYTES[PASS] == b"pass"
    assert len(WIRE_BYTES) == 4096
    assert all(WIRE_BYTES[move] == text for text, move in WIRE.items())
    assert all(wire_text(move).encode() == text for text, move in WIRE.items())
    for text in (b"h8h8", b"a1a1", b"B1B3", b"b1-b3", b"PASS", b""):
        assert text not in WIRE


def test_position_text_of_the_vectors() -> None:
    for record in records("positions", "positions"):
        assert format_fen(parse_fen(record["position"])) == record["position"]


def test_position_text_is_read_with_any_blanks_and_split_digits() -> None:
    text = "  1bbbbbb1/w6w/w33w/w6w/w6w/w6w/w6w/1bbbbbb1\tb\n"
    assert format_fen(parse_fen(text)) == STANDARD_TEXT


@pytest.mark.parametrize(
    ("text", "whys"),
    [
        ("", ["expected 8 ranks joined by /, found 0", "found nothing"]),
        (STANDARD_TEXT[:-2], ["expected the side to move, b or w, after the board, found nothing"]),
        (STANDARD_TEXT[:-1] + "x", ["found 'x'"]),
        (STANDARD_TEXT + " - 0", ["nothing after the side to move"]),
        ("8/8/8/8/8/8/8 b", ["expected 8 ranks joined by /, found 7"]),
        ("8/8/8/8/8/8/8/8/8 b", ["found 9"]),
        ("8/8/8/8/8/8/8/7 b", ["rank 1: expected 8 squares, found 7"]),
        ("8/8/8b/8/8/8/8/8 b", ["rank 6: expected 8 squares, found 9"]),
        ("8/8/8/8/8/8/8/ b", ["rank 1: expected 8 squares, found 0"]),
        ("8/8/8/4B3/8/8/8/8 b", ["rank 5: expected b, w or 1-8, found 'B'"]),
        ("9/8/8/8/8/8/8/8 b", ["rank 8: expected b, w or 1-8, found '9'"]),
        ("8/8/8/8/8/8/8/0bbbbbbbb b", ["rank 1: expected b, w or 1-8, found '0'"]),
        ("\u0668/8/8/8/8/8/8/8 b", ["rank 8: expected b, w or 1-8"]),
        ("7/8/8/8/8/8/8/7x q", ["rank 8: expected 8", "rank 1: expected b", "side to move"]),
    ],
)
def test_position_text_errors_name_the_rank(text: str, whys: list[str]) -> None:
    with pytest.raises(NotationError) as caught:
        parse_fen(text)
    for why in whys:
        assert why in caught.value.why
    assert caught.value.why.count(";") == len(whys) - 1


def test_starts_by_name_and_by_text() -> None:
    assert parse_start("standard") == parse_start(" StartPos ") == STANDARD_START
    assert parse_start("scrambled-eggs") == SCRAMBLED_EGGS_START
    assert parse_start(STANDARD_TEXT) == STANDARD_START
    with pytest.raises(NotationError, match="standard, scrambled-eggs or a position text"):
        parse_start("parachute")
    with pytest.raises(PositionError):
        parse_start("8/8/8/8/8/8/8/8 b")


def test_errors_show_no_more_than_a_glance_of_a_long_text() -> None:
    with pytest.raises(NotationError) as caught:
        parse_move("b" * 100_000)
    assert len(str(caught.value)) < 200


def test_a_move_of_the_wire_may_be_illegal_but_never_fails_to_be_judged() -> None:
    for move in WIRE.values():
        STANDARD_START.fault_of(move)
        format_move(STANDARD_START, Move(move))
