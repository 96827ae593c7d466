"""Games whose bots were charged for more time than the margin that was not theirs."""

from __future__ import annotations

from typing import Final

from harness.play.lateness import GameLateness
from harness.play.types import GameRecord

_LEAST_TURNS: Final = 20
_LEAST_NS: Final = 1_000_000
"""Less is no news where there is no margin."""
_MUCH_WORSE: Final = 10
_ADVICE: Final = (
    "Play fewer games at once (--slots), end other programs, say how many threads bots have "
    "(threads), or give a new tournament a larger --margin-ms."
)


class LatenessWatch:
    """Looks at each game for turns that were late; says it once, and when it gets ten times worse.

    A turn is late by what its bot and the slot waited for a processor.
    """

    def __init__(self) -> None:
        self._told_us = 0

    def look(self, record: GameRecord) -> list[str]:
        """Return what is to be said of this game.

        It is named when one in a hundred of its turns, at least 20, was later than the margin. In
        a game of fewer than 100 that is the latest.
        """
        late = GameLateness.of_provenance(record.provenance)
        margin_ns = record.spec.margin_ns
        if late is None or late.turns < _LEAST_TURNS:
            return []
        if late.p99_us * 1000 <= max(margin_ns, _LEAST_NS):
            return []
        if late.p99_us < _MUCH_WORSE * self._told_us:
            return []
        self._told_us = late.p99_us
        return [
            f"In game {record.spec.game_id} bots were charged for time that they did not have: "
            f"for up to {late.p99_us / 1000:.1f} ms of a move (99 % of {late.turns} moves; half of "
            f"them {late.p50_us / 1000:.2f} ms) they or the harness waited for a processor. The "
            f"margin is {margin_ns / 1e6:g} ms: moves may be lost on time that were in time. "
            f"{_ADVICE}"
        ]
