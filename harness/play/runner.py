"""The loop of one game: what the referee asks goes to the bot of that side."""

from __future__ import annotations

from harness.play.referee import Referee
from harness.play.types import Outcome, Transport


def play(referee: Referee, transports: tuple[Transport, Transport]) -> Outcome:
    """Play one game to its end. ``transports`` are Black's and White's, in this order."""
    asks = (transports[0].ask, transports[1].ask)
    while True:
        step = referee.next()
        if isinstance(step, Outcome):
            return step
        referee.receive(asks[step.side](step))
