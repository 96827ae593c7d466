"""What is said of a forfeit: who, why, the limit it had, the bot's last words."""

from __future__ import annotations

from typing import NamedTuple

from harness.director.thinking import last_budget_ns
from harness.play.types import Cause, CauseKind, GameRecord
from harness.process.pipes import last_line, printable_words
from harness.rules.types import Color

_MAX_LAST_WORDS = 160


class Forfeit(NamedTuple):
    """A game that a bot lost by its own fault; ``why`` and ``last_words`` are one line each."""

    bot: str
    cause: Cause
    why: str
    last_words: str


def forfeit_of(record: GameRecord) -> Forfeit | None:
    """Return the forfeit by which a game ended; None when it ended otherwise."""
    outcome = record.outcome
    if outcome.cause.kind is not CauseKind.FORFEIT or outcome.winner is None:
        return None
    side = outcome.winner.opponent
    why = printable_words(outcome.detail) or outcome.cause.value
    if outcome.cause is Cause.TIME:
        why = f"{why}: it had {last_budget_ns(record, side) / 1e9:.3f} s, margin included"
    run = record.black if side is Color.BLACK else record.white
    last_words = last_line(run.stderr, _MAX_LAST_WORDS)
    return Forfeit(record.spec.player(side).name, outcome.cause, why, last_words)
