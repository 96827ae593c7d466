"""Bots that compute while their opponent is to move, and so spoil its times."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from harness.director.thinking import thinking_ns
from harness.play.types import GameRecord
from harness.rules.types import Color

_MOST_SHARE: Final = 0.05
_LEAST_NS: Final = 100_000_000
_LEAST_THOUGHT_NS: Final = 500_000_000


class OffTurnWatch:
    """Looks at each game for processor time off turn; says it once of a bot.

    Nothing is said of the bots that are ``suspended`` between their turns: what they use there
    is what it takes to stop them.
    """

    def __init__(self, suspended: Collection[str] = ()) -> None:
        self._silent: set[str] = {*suspended}

    def look(self, record: GameRecord) -> list[str]:
        """Return what is to be said of this game.

        A bot is named that used more than 5 % of its opponent's thinking time and more than
        100 ms, if that was at least 0.5 s: in quick games a few ticks of the system's clock
        would accuse anybody.
        """
        texts = []
        for side, run in ((Color.BLACK, record.black), (Color.WHITE, record.white)):
            used_ns = run.usage.cpu_off_turn_ns
            if used_ns <= _LEAST_NS:
                continue
            name, opponent = record.spec.player(side).name, record.spec.player(side.opponent).name
            thought_ns = thinking_ns(record, side.opponent)
            is_much = used_ns > _MOST_SHARE * thought_ns
            if not is_much or thought_ns < _LEAST_THOUGHT_NS or name in self._silent:
                continue
            self._silent.add(name)
            texts.append(
                f"{name} computes while its opponent is to move: {used_ns / 1e9:.2f} s of "
                f"processor time in the {thought_ns / 1e9:.2f} s that {opponent} thought in game "
                f"{record.spec.game_id}. The times of its opponents are spoiled; "
                'pondering = "suspend" stops it between its turns.'
            )
        return texts
