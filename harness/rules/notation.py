"""Squares, moves and positions as text: many forms are read, one is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from harness.errors import NotationError
from harness.rules.board import FLIP, TARGET_BIT
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position, Setup
from harness.rules.types import PASS, Color, Move, Square, make_move
from harness.rules.writing import SQUARE_NAMES, move_text, square_text, wire_text, written_moves

__all__ = [
    "WIRE",
    "WIRE_BYTES",
    "format_fen",
    "format_move",
    "format_moves",
    "format_square",
    "parse_fen",
    "parse_move",
    "parse_move_strict",
    "parse_square",
    "parse_start",
    "wire_text",
]

_SQUARES: Final[Mapping[str, Square]] = MappingProxyType(
    {name: Square(number) for number, name in enumerate(SQUARE_NAMES)}
)
_LENIENT_MOVE: Final = re.compile(r"([a-hA-H][1-8])[-xX:]?([a-hA-H][1-8])[+!#?]*")
_STRICT_MOVE: Final = re.compile(r"([a-h][1-8])([-x])([a-h][1-8])")
_STARTS: Final[Mapping[str, Position]] = MappingProxyType(
    {
        "standard": STANDARD_START,
        "startpos": STANDARD_START,
        "scrambled-eggs": SCRAMBLED_EGGS_START,
    }
)

WIRE_BYTES: Final[tuple[bytes, ...]] = tuple(wire_text(Move(move)).encode() for move in range(4096))
"""The form of the line protocol by move number."""

WIRE: Final[Mapping[bytes, Move]] = MappingProxyType(
    {
        text: Move(move)
        for move, text in enumerate(WIRE_BYTES)
        if move == PASS or move >> 6 != move & 63
    }
)
"""Every exact wire form: all pairs of two squares, on one line or not, and the pass."""


def parse_square(text: str) -> Square:
    """Read ``a1`` to ``h8``, either case; raises NotationError."""
    try:
        return _SQUARES[text.strip().lower()]
    except KeyError:
        raise NotationError(text, "a square is a letter a-h and a digit 1-8") from None


def format_square(square: Square) -> str:
    """Return ``a1`` to ``h8``."""
    return square_text(square)


def parse_move(text: str) -> Move:
    """Read a move in any of its forms; raises NotationError.

    Read are ``b1-b3``, ``d1xa4``, ``d1:a4``, ``d1a4`` and ``pass``, either case, with ``+``,
    ``!``, ``#`` and ``?`` after them. No board is needed: the marks are not checked.
    """
    stripped = text.strip()
    match = _LENIENT_MOVE.fullmatch(stripped)
    if match is not None:
        return _move_between(text, match[1].lower(), match[2].lower())
    if stripped.rstrip("+!#?").lower() == "pass":
        return PASS
    raise NotationError(text, "a move is written b1-b3, d1xa4 (a capture) or pass")


def parse_move_strict(text: str, position: Position) -> Move:
    """Read the written form alone, its ``-`` or ``x`` checked against the board.

    Raises NotationError. Whether the rules allow the move is another question.
    """
    if text == "pass":
        return PASS
    match = _STRICT_MOVE.fullmatch(text)
    if match is None:
        raise NotationError(text, "a move is written exactly b1-b3, d1xa4 (a capture) or pass")
    move = _move_between(text, match[1], match[3])
    if position.is_capture(move) and match[2] == "-":
        raise NotationError(text, f"an enemy stands on {match[3]}: write x, not -")
    if not position.is_capture(move) and match[2] == "x":
        raise NotationError(text, f"no enemy stands on {match[3]}: write -, not x")
    return move


def _move_between(text: str, origin: str, target: str) -> Move:
    if origin == target:  # h8-h8 would have the number of the pass
        raise NotationError(text, "a move ends on another square")
    return make_move(_SQUARES[origin], _SQUARES[target])


def format_move(position: Position, move: Move) -> str:
    """Return ``b1-b3``, ``d1xa4`` where the target holds an enemy, or ``pass``."""
    return move_text(move, capture=position.is_capture(move))


def format_moves(start: Position, moves: Iterable[Move]) -> list[str]:
    """Return the written forms of legal moves, one after the other from ``start``."""
    texts, own, enemy = [], start.own, start.enemy
    quiet, capturing = written_moves()
    for move in moves:
        target = TARGET_BIT[move]
        if enemy & target:
            texts.append(capturing[move])
            own, enemy = enemy ^ target, own ^ FLIP[move]
        else:
            texts.append(quiet[move])
            own, enemy = enemy, own ^ FLIP[move]  # the other side is to move
    return texts


def parse_start(text: str) -> Position:
    """Read ``standard``, ``startpos``, ``scrambled-eggs`` or position text.

    Raises NotationError for what cannot be read, PositionError for what cannot be a start.
    """
    named = _STARTS.get(text.strip().lower())
    if named is not None:
        return named
    if "/" not in text:
        raise NotationError(text, "a start is standard, scrambled-eggs or a position text")
    return parse_fen(text).position()


def format_fen(position: Position | Setup) -> str:
    """Return eight ranks from rank 8 down, pieces ``b`` and ``w``, and the side to move."""
    return str(position)


def parse_fen(text: str) -> Setup:
    """Read a position text; raises NotationError that names every rank at fault."""
    fields = text.split()
    faults: list[str] = []
    ranks = fields[0].split("/") if fields else []
    if len(ranks) != 8:
        faults.append(f"expected 8 ranks joined by /, found {len(ranks)}")
    black = white = 0
    for rank, pieces in zip(range(7, -1, -1), ranks, strict=False):
        file = 0
        for character in pieces:
            if character in "12345678":
                file += int(character)
            elif character in "bw":
                bit = 1 << (rank * 8 + file) if file < 8 else 0
                black |= bit if character == "b" else 0
                white |= bit if character == "w" else 0
                file += 1
            else:
                faults.append(f"rank {rank + 1}: expected b, w or 1-8, found {character!r}")
                break
        else:
            if file != 8:
                faults.append(f"rank {rank + 1}: expected 8 squares, found {file}")
    side = fields[1] if len(fields) > 1 else ""
    if side not in {"b", "w"}:
        found = repr(side[:20]) if side else "nothing"
        faults.append(f"expected the side to move, b or w, after the board, found {found}")
    if len(fields) > 2:
        faults.append("expected nothing after the side to move")
    if faults:
        raise NotationError(text, "; ".join(faults))
    return Setup(black, white, Color.WHITE if side == "w" else Color.BLACK)
