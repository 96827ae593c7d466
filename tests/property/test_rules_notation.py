from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from harness.errors import NotationError, PositionError
from harness.rules.notation import (
    WIRE,
    format_fen,
    format_move,
    parse_fen,
    parse_move,
    parse_move_strict,
    parse_square,
    parse_start,
    wire_text,
)
from harness.rules.position import STANDARD_START, Position, Setup
from harness.rules.types import PASS, Color, Move

moves = st.sampled_from(sorted(WIRE.values()))
FEN_LIKE = st.text("bw12345678/ -", max_size=80)
MOVE_LIKE = st.text("abhi18x-:+!#? PASpas", max_size=12)


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    squares = draw(st.lists(st.integers(0, 63), max_size=64, unique=True))
    split = draw(st.integers(0, len(squares)))
    black = sum(1 << square for square in squares[:split])
    white = sum(1 << square for square in squares[split:])
    return Setup(black, white, draw(st.sampled_from(Color)))


@given(setups())
def test_position_text_comes_back(setup: Setup) -> None:
    assert parse_fen(format_fen(setup)) == setup


@given(setups(), moves)
def test_written_moves_come_back(setup: Setup, move: Move) -> None:
    position = Position(setup.black, setup.white, setup.to_move)
    text = format_move(position, move)
    assert parse_move(text) == move
    assert parse_move_strict(text, position) == move
    assert parse_move(wire_text(move)) == move
    assert WIRE[wire_text(move).encode()] == move


@given(moves, st.sampled_from(["", "-", "x", ":", "X"]), st.text("+!#?", max_size=3), st.booleans())
def test_every_form_of_a_move_is_read(move: Move, mark: str, tail: str, upper: bool) -> None:
    text = "pass" if move == PASS else wire_text(move)[:2] + mark + wire_text(move)[2:]
    assert parse_move((text.upper() if upper else text) + tail) == move


@given(st.one_of(st.text(), FEN_LIKE, MOVE_LIKE))
def test_hostile_text_is_refused_in_words(text: str) -> None:
    with contextlib.suppress(NotationError):
        parse_square(text)
    with contextlib.suppress(NotationError):
        assert parse_move(text) in WIRE.values()
    with contextlib.suppress(NotationError):
        parse_move_strict(text, STANDARD_START)
    with contextlib.suppress(NotationError):
        assert parse_fen(format_fen(parse_fen(text))) == parse_fen(text)
    with contextlib.suppress(NotationError, PositionError):
        parse_start(text)
