"""Whose plies those of a record are: thinking time of each side, and who was asked last."""

from __future__ import annotations

from harness.play.clock import ClockState
from harness.play.types import GameRecord
from harness.rules.types import Color


def first_asked(record: GameRecord) -> Color:
    """Return the side that was asked for the first ply after the opening."""
    opening = record.spec.opening
    side = opening.start.to_move
    return side if len(opening.moves) % 2 == 0 else side.opponent


def thinking_ns(record: GameRecord, side: Color) -> int:
    """Return the time charged to a side for all its plies.

    The request that ended a game by forfeit is not among them.
    """
    first = 0 if first_asked(record) is side else 1
    return sum(ply.elapsed_ns for ply in record.plies[first::2])


def last_budget_ns(record: GameRecord, side: Color) -> int:
    """Return how long a side might take for its last answer, or for the one it did not give.

    The margin is included. It is the budget after all plies of the side in the record.
    """
    spec = record.spec
    control = spec.player(side).time_control
    clock = ClockState.start(control)
    first = 0 if first_asked(record) is side else 1
    for ply in record.plies[first::2]:
        after = clock.after(control, ply.elapsed_ns, spec.margin_ns, spec.max_think_ns)
        if after is None:  # the record contradicts its own time control
            break
        clock = after
    return clock.budget_ns(control, spec.margin_ns, spec.max_think_ns)
