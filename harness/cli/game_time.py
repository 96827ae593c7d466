"""A game that was lost on time: how long the bot had for its move, and how long it took."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from harness.play.clock import TimeControl
from harness.play.types import Cause
from harness.store.rows import StoredGame
from harness.verification.replay import open_request

_LATE: Final = re.compile(r"answered ([0-9]+\.[0-9]) ms too late")


class TimeForfeit(NamedTuple):
    """The longest use of the move that was no loss, margin included, and the use as measured.

    ``margin_ns`` is 0 where no time control bounds the move. ``used_ns`` is exact to a tenth of a
    millisecond; None when no answer came at all.
    """

    limit_ns: int
    margin_ns: int
    used_ns: int | None


def time_forfeit(game: StoredGame) -> TimeForfeit | None:
    """Return limit and use of the last request; None for a game that did not end by time."""
    if game.outcome.cause is not Cause.TIME:
        return None
    request = open_request(game)
    if request is None:
        return None
    late = _LATE.fullmatch(game.outcome.detail)
    used_ns = None if late is None else request.budget_ns + round(float(late[1]) * 1e6)
    control = TimeControl.parse(game.seat(request.side).time_control)
    margin_ns = game.margin_ns if control.has_time_limit else 0
    return TimeForfeit(request.budget_ns, margin_ns, used_ns)
