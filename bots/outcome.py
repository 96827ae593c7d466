"""What a move does to a game in the eyes of a searching bot: pure board logic on piece sets."""

from __future__ import annotations

from typing import Final

from harness.rules.board import TARGET_BIT, is_connected
from harness.rules.types import Move, RuleSet, SimultaneousRule

WIN: Final = 100_000
"""The value of a game won at once; a win that is n plies away is worth n less."""

WIN_BOUND: Final = WIN - 1_000
"""Values beyond it, either way, are forced ends."""


class Ending:
    """Judges boards by the rules of one game."""

    def __init__(self, rules: RuleSet) -> None:
        """Read the rule for connecting both sides at once."""
        self._simultaneous = WIN if rules.simultaneous is SimultaneousRule.MOVER else 0

    def after(self, mover: int, other: int, enemy_before: int, move: Move) -> int | None:
        """Return what the move is worth to its mover if it ended the game, else None.

        ``mover`` and ``other`` are the pieces after the move. Only a capture can connect the
        opponent.
        """
        is_capture = enemy_before & TARGET_BIT[move]
        if is_connected(mover):
            if is_capture and is_connected(other):
                return self._simultaneous
            return WIN
        if is_capture and is_connected(other):
            return -WIN
        return None
