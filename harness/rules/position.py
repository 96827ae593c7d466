"""Positions: a setup may be anything that can be written, a position can be played from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from harness.errors import IllegalMoveError, PositionError
from harness.rules import board
from harness.rules.types import Color, IllegalReason, Move
from harness.rules.writing import board_text, move_text


@dataclass(frozen=True, slots=True)
class Setup:
    """Pieces of both sides and the side to move, unchecked; bit ``i`` is square ``i``."""

    black: int
    white: int
    to_move: Color

    def __str__(self) -> str:
        return board_text(self.black, self.white, self.to_move)

    def position(self) -> Position:
        """Return the start position of this setup.

        Raises PositionError with every reason against it: squares with two pieces, a side
        without pieces, with more than twelve, or already connected.
        """
        reasons = []
        if self.black & self.white:
            count = (self.black & self.white).bit_count()
            reasons.append(f"{count} square{'s hold' if count > 1 else ' holds'} two pieces")
        for name, pieces in (("Black", self.black), ("White", self.white)):
            count = pieces.bit_count()
            if count == 0:
                reasons.append(f"{name} has no pieces")
            elif count > 12:
                reasons.append(f"{name} has {count} pieces, more than 12")
            if count == 1:
                reasons.append(f"{name} is already connected (one piece is a group)")
            elif board.is_connected(pieces):
                reasons.append(f"{name} is already connected")
        if reasons:
            raise PositionError(str(self), reasons)
        return Position(self.black, self.white, self.to_move)


@dataclass(frozen=True, slots=True)
class Position:
    """Pieces of both sides and the side to move; bit ``i`` is square ``i``.

    The constructor trusts its caller. Starts come from ``Setup.position``.
    """

    black: int
    white: int
    to_move: Color

    def __str__(self) -> str:
        return board_text(self.black, self.white, self.to_move)

    @property
    def own(self) -> int:
        """The pieces of the side to move."""
        return self.white if self.to_move else self.black

    @property
    def enemy(self) -> int:
        """The pieces of the other side."""
        return self.black if self.to_move else self.white

    def legal_moves(self) -> list[Move]:
        """Return all moves but the pass, in a fixed order: empty when the side is blocked."""
        return board.legal_moves(self.own, self.enemy)

    def has_legal_move(self) -> bool:
        """Tell whether the side to move has any move but the pass."""
        return board.has_legal_move(self.own, self.enemy)

    def is_capture(self, move: Move) -> bool:
        """Tell whether an enemy piece stands on the target of ``move``."""
        return self.enemy & board.TARGET_BIT[move] != 0

    def fault_of(self, move: Move) -> IllegalReason | None:
        """Return why the rules refuse ``move``, or None."""
        return board.move_fault(self.own, self.enemy, move)

    def play(self, move: Move) -> Position:
        """Return the position after ``move``; raises IllegalMoveError when it is refused."""
        fault = self.fault_of(move)
        if fault is not None:
            text = move_text(move, capture=self.is_capture(move))
            raise IllegalMoveError(text, fault.value, str(self))
        return self.after(move)

    def after(self, move: Move) -> Position:
        """Return the position after ``move``, which is known to be legal."""
        if self.to_move:
            white, black = board.apply_move(self.white, self.black, move)
            return Position(black, white, Color.BLACK)
        black, white = board.apply_move(self.black, self.white, move)
        return Position(black, white, Color.WHITE)


STANDARD_START: Final = Position(0x7E00_0000_0000_007E, 0x0081_8181_8181_8100, Color.BLACK)
"""The standard start: Black on the first and last rank, White on the a and h files."""

SCRAMBLED_EGGS_START: Final = Position(0x5401_8001_8001_802A, 0x2A80_0180_0180_0154, Color.BLACK)
"""Scrambled Eggs: colours alternate round the edge, White on a2."""
