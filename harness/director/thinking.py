"""Whose plies those of a record are: thinking time of each side, and its last budget."""

from __future__ import annotations

from harness.play.clock import ClockState
from harness.play.types import GameRecord
from harness.rules.types import Color


def thinking_ns(record: GameRecord, side: Color) -> int:
    """Return the time charged to a side for all its plies.

    The request that ended a game by forfeit is not among them.
    """
    return sum(_times_ns(record, side))


def last_budget_ns(record: GameRecord, side: Color) -> int:
    """Return how long a side might take for its last answer, or for the one it did not give.

    The margin is included. It is the budget after all plies of the side in the record.
    """
    spec = record.spec
    control = spec.player(side).time_control
    clock = ClockState.start(control)
    for elapsed_ns in _times_ns(record, side):
        after = clock.after(control, elapsed_ns, spec.margin_ns, spec.max_think_ns)
        if after is None:  # the record contradicts its own time control
            break
        clock = after
    return clock.budget_ns(control, spec.margin_ns, spec.max_think_ns)


def _times_ns(record: GameRecord, side: Color) -> tuple[int, ...]:
    """Return the time of each ply that a side was asked for."""
    first = 0 if record.spec.opening.first_asked is side else 1
    return record.plies.elapsed_ns[first::2]
