"""The one written form of squares, moves and positions."""

from __future__ import annotations

from functools import cache
from typing import Final

from harness.rules.types import PASS, Color, Move, Square

SQUARE_NAMES: Final[tuple[str, ...]] = tuple(
    file + rank for rank in "12345678" for file in "abcdefgh"
)
"""The names of the squares, by number."""


_WIRE_TEXTS: Final[tuple[str, ...]] = (
    *(SQUARE_NAMES[move >> 6] + SQUARE_NAMES[move & 63] for move in range(4095)),
    "pass",
)


def square_text(square: Square) -> str:
    """Return ``a1`` to ``h8``."""
    return SQUARE_NAMES[square]


def move_text(move: Move, *, capture: bool) -> str:
    """Return ``b1-b3``, ``d1xa4`` or ``pass``."""
    text = _WIRE_TEXTS[move]
    return "pass" if move == PASS else text[:2] + ("x" if capture else "-") + text[2:]


@cache
def written_moves() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the written forms of all moves by number: of those that take nothing, of captures.

    Made at the first call: most programs that know the rules write few moves.
    """
    moves = [*map(Move, range(4096))]
    return (
        tuple(move_text(move, capture=False) for move in moves),
        tuple(move_text(move, capture=True) for move in moves),
    )


def wire_text(move: Move) -> str:
    """Return the form of the line protocol, ``b1b3`` or ``pass``."""
    return _WIRE_TEXTS[move]


def board_text(black: int, white: int, to_move: Color) -> str:
    """Return eight ranks from rank 8 down, pieces ``b`` and ``w``, and the side to move.

    A square that both sides claim, which only a refused setup has, is written as ``?``.
    """
    ranks = []
    for rank in range(7, -1, -1):
        text, empty = "", 0
        for square in range(rank * 8, rank * 8 + 8):
            piece = ("", "b", "w", "?")[(black >> square & 1) + 2 * (white >> square & 1)]
            if not piece:
                empty += 1
                continue
            text += (str(empty) if empty else "") + piece
            empty = 0
        ranks.append(text + (str(empty) if empty else ""))
    return "/".join(ranks) + (" b" if to_move is Color.BLACK else " w")
