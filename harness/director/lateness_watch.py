"""Games whose bots were charged for more time than the margin that was not theirs."""

from __future__ import annotations

from typing import Final

from harness.counted import counted
from harness.play.lateness import GameLateness
from harness.play.types import Cause, GameRecord

_LEAST_TURNS: Final = 20
_LEAST_NS: Final = 1_000_000
"""Less is no news where there is no margin."""
_MUCH_WORSE: Final = 10
_FEWER: Final = "play fewer games at once (--slots), "
_ADVICE: Final = (
    "end other programs, say how many threads bots have (threads), stop bots that think on their "
    'opponents\' time (pondering = "suspend"), or give a new tournament a larger --margin-ms.'
)


class LatenessWatch:
    """Looks at each game for turns that were late; says it once, and when it gets ten times worse.

    A turn is late by what its bot and the slot waited for a processor. A game that was lost on
    time is named each time. ``slots`` is how many games are played at once, where that is known.
    """

    def __init__(self, slots: int | None = None) -> None:
        self._told_us = 0
        advice = _ADVICE if slots == 1 else f"{_FEWER}{_ADVICE}"
        self._advice = f"{advice[0].upper()}{advice[1:]}"

    def look(self, record: GameRecord) -> list[str]:
        """Return what is to be said of this game.

        It is named when one in a hundred of its turns, at least 20, was later than the margin; in
        a game of fewer than 100 that is the latest. When a flag fell, any number of turns will do.
        """
        late = GameLateness.of_provenance(record.provenance)
        if late is None or late.p99_us * 1000 <= max(record.spec.margin_ns, _LEAST_NS):
            return []
        told_us = self._told_us
        is_flag = record.outcome.cause is Cause.TIME and record.outcome.winner is not None
        is_news = late.turns >= _LEAST_TURNS and late.p99_us >= _MUCH_WORSE * told_us
        if not is_flag and not is_news:
            return []
        self._told_us = max(told_us, late.p99_us)
        text = _flag_text(record, late) if is_flag else _game_text(record, late)
        return [f"{text} {self._advice}" if is_news or told_us == 0 else text]


def _flag_text(record: GameRecord, late: GameLateness) -> str:
    assert record.outcome.winner is not None
    loser = record.spec.player(record.outcome.winner.opponent).name
    return (
        f"The flag of {loser} fell in game {record.spec.game_id} although so much of the time was "
        f"not the bot's: for up to {_measured(late)} {loser}, its opponent or the harness waited "
        f"for a processor. The margin is {record.spec.margin_ns / 1e6:g} ms: the move may have "
        "been in time."
    )


def _game_text(record: GameRecord, late: GameLateness) -> str:
    return (
        f"In game {record.spec.game_id} bots were charged for time that they did not have: "
        f"for up to {_measured(late)} they or the harness waited for a processor. The "
        f"margin is {record.spec.margin_ns / 1e6:g} ms: moves may be lost on time that were in "
        "time."
    )


def _measured(late: GameLateness) -> str:
    return (
        f"{late.p99_us / 1000:.1f} ms of a move (99 % of {counted(late.turns, 'move')}; half of "
        f"them {late.p50_us / 1000:.2f} ms)"
    )
