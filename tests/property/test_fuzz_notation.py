"""Squares, moves, positions, starts and time controls: what cannot be read is said in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from harness.errors import NotationError, PositionError
from harness.play.clock import TimeControl
from harness.rules.notation import (
    format_fen,
    parse_fen,
    parse_move,
    parse_move_strict,
    parse_square,
    parse_start,
    wire_text,
)
from harness.rules.position import STANDARD_START
from tests.property.fuzzing import FEW, MANY, entries, mutated

POSITIONS = [entry["position"] for entry in entries("positions.json", "positions")]
MOVES = sorted({move for entry in entries("games.json", "games") for move in entry["moves"]})
ODD_MOVES = [*MOVES, "pass", "PASS!", "B1B3+", "d1:a4#", "a1", "h8", "d1xa4?!"]
STARTS = [*POSITIONS[:40], "standard", "startpos", "scrambled-eggs"]
CONTROLS = ["5+0.05", "40/60+0.6", "move=0.5", "nodes=200", "depth=3", "5+0.05,move=1,nodes=9"]
LONGEST_MESSAGE = 1_000


def check_position(text: str) -> None:
    try:
        setup = parse_fen(text)
        assert parse_fen(format_fen(setup)) == setup
        setup.position()
    except (NotationError, PositionError) as error:
        check_message(error, text)
    try:
        parse_start(text)
    except (NotationError, PositionError) as error:
        check_message(error, text)


def check_move(text: str) -> None:
    try:
        move = parse_move(text)
        assert parse_move(wire_text(move)) == move
        assert wire_text(move).isascii()
    except NotationError as error:
        check_message(error, text)
    readers: list[Callable[[], object]] = [
        lambda: parse_square(text),
        lambda: parse_move_strict(text, STANDARD_START),
    ]
    for read in readers:
        try:
            read()
        except NotationError as error:
            check_message(error, text)


def check_control(text: str) -> None:
    try:
        control = TimeControl.parse(text)
    except NotationError as error:
        check_message(error, text, LONGEST_MESSAGE + 40 * len(text) + 4 * text.count(","))
    else:
        assert TimeControl.parse(control.text) == control


def check_message(
    error: NotationError | PositionError, text: str, longest: int = LONGEST_MESSAGE
) -> None:
    """A message is for a terminal: printable, and short however long the text is."""
    assert str(error).isprintable()
    assert len(str(error)) < longest
    assert getattr(error, "text", text) == text


@settings(max_examples=2 * FEW)
@given(mutated(STARTS))
def test_no_text_breaks_the_reading_of_positions(text: str) -> None:
    check_position(text)


@settings(max_examples=2 * FEW)
@given(mutated(ODD_MOVES))
def test_no_text_breaks_the_reading_of_moves(text: str) -> None:
    check_move(text)


@settings(max_examples=2 * FEW)
@given(mutated(CONTROLS))
def test_no_text_breaks_the_reading_of_time_controls(text: str) -> None:
    check_control(text)


@pytest.mark.slow
@settings(max_examples=2 * MANY)
@given(mutated(STARTS), mutated(ODD_MOVES), mutated(CONTROLS))
def test_no_text_breaks_a_reading_at_length(start: str, move: str, control: str) -> None:
    check_position(start)
    check_move(move)
    check_control(control)
