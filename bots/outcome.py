"""What a move does to a game in the eyes of a searching bot: pure board logic on piece sets."""

from __future__ import annotations

from typing import Final

from harness.rules.board import TARGET_BIT, has_legal_move, is_connected
from harness.rules.types import Move, NoMovesRule, RuleSet, SimultaneousRule

WIN: Final = 100_000
"""The value of a game won at once; a win that is n plies away is worth n less."""

WIN_BOUND: Final = WIN - 1_000
"""Values beyond it, either way, are forced ends."""


class Ending:
    """Judges boards by the rules of one game."""

    def __init__(self, rules: RuleSet) -> None:
        """Read the rules for connecting both sides at once and for leaving no answer."""
        self._simultaneous = WIN if rules.simultaneous is SimultaneousRule.MOVER else 0
        self._can_be_blocked = rules.no_moves is not NoMovesRule.PASS
        self._no_answer = WIN if rules.no_moves is NoMovesRule.LOSS else 0

    def after(self, mover: int, other: int, enemy_before: int, move: Move) -> int | None:
        """Return what the move is worth to its mover if it ended the game, else None.

        ``mover`` and ``other`` are the pieces after the move. Only a capture can connect the
        opponent. A side that must pass plays on: that ends nothing.
        """
        is_capture = enemy_before & TARGET_BIT[move]
        if is_connected(mover):
            if is_capture and is_connected(other):
                return self._simultaneous
            return WIN
        if is_capture and is_connected(other):
            return -WIN
        if self._can_be_blocked and not has_legal_move(other, mover):
            return self._no_answer
        return None
