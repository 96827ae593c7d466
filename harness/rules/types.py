"""The words of the game: colours, squares, moves, rule sets and verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final, NewType

Square = NewType("Square", int)
"""0 to 63: a1 is 0, b1 is 1, h8 is 63."""

Move = NewType("Move", int)
"""``origin * 64 + target``; a number, so that tables can be indexed by it and nothing is built."""

PASS: Final = Move(4095)
"""The forced pass. Its number would be h8-h8, which no piece can play."""


def make_move(origin: Square, target: Square) -> Move:
    """Return the move of the piece on ``origin`` to ``target``."""
    return Move(origin << 6 | target)


def origin_of(move: Move) -> Square:
    """Return the square that the moving piece leaves."""
    return Square(move >> 6)


def target_of(move: Move) -> Square:
    """Return the square that the moving piece reaches."""
    return Square(move & 63)


class Color(IntEnum):
    """A side. Black moves first in both starts."""

    BLACK = 0
    WHITE = 1

    @property
    def opponent(self) -> Color:
        """The other side."""
        return Color.WHITE if self is Color.BLACK else Color.BLACK

    @property
    def word(self) -> str:
        """``black`` or ``white``, as written in records."""
        return "black" if self is Color.BLACK else "white"


class SimultaneousRule(Enum):
    """What a move that connects both sides at once means."""

    DRAW = "draw"
    MOVER = "mover"


class NoMovesRule(Enum):
    """What it means when the side to move has no legal move."""

    PASS = "pass"  # noqa: S105
    LOSS = "loss"
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules that sources disagree on; the defaults are the Computer Olympiad's.

    ``repetition``: the game is drawn when the same board with the same side to move occurs for
    this many times, the start included; 0 switches the rule off, 1 is refused.
    ``max_plies``: the game is drawn after so many plies, passes and opening moves included;
    None switches the limit off.
    """

    simultaneous: SimultaneousRule = SimultaneousRule.DRAW
    no_moves: NoMovesRule = NoMovesRule.PASS
    repetition: int = 3
    max_plies: int | None = None

    def __post_init__(self) -> None:
        if self.repetition < 0 or self.repetition == 1:
            raise ValueError(f"repetition is 0 (off) or at least 2, not {self.repetition}")
        if self.max_plies is not None and self.max_plies < 1:
            raise ValueError(f"max_plies is None (off) or at least 1, not {self.max_plies}")


class Termination(Enum):
    """Why the board ended a game."""

    CONNECTION = "connection"
    SIMULTANEOUS_CONNECTION = "simultaneous-connection"
    NO_MOVES = "no-moves"
    REPETITION = "repetition"
    MAX_PLIES = "max-plies"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the board ended a game: why, and who won (None: a draw)."""

    termination: Termination
    winner: Color | None


class IllegalReason(Enum):
    """Why the rules refuse a move, in words that complete "the move is illegal: ..."."""

    NO_PIECE = "there is no piece on its first square"
    NOT_YOUR_PIECE = "the piece on its first square belongs to the opponent"
    NOT_ON_A_LINE = "its squares are not on one rank, file or diagonal"
    WRONG_DISTANCE = "a piece moves exactly as many squares as there are pieces on the line"
    BLOCKED_BY_ENEMY = "an enemy piece is jumped"
    OWN_PIECE_ON_TARGET = "it lands on a piece of its own side"
    PASS_NOT_FORCED = "a pass is legal only when no move is"  # noqa: S105
    MUST_PASS = "no move is legal, only a pass"  # noqa: S105
