"""Looks at the bots of a slot ten times a second, and tells whose fault a stall was."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from harness.process.guard import Guard
from harness.process.lateness import Lateness
from harness.process.pipes import AttemptLost
from harness.process.process_tree import run_delay_ns

LOOK_NS: Final = 100_000_000
"""So long is the longest wait; then it is looked."""
_STALL_NS: Final = 600_000_000
"""What took so much more than a wait was no wait."""
_SLACK_NS: Final = 20_000_000
"""A wait that ended so much later than it should is no proof that a bot was late."""


def is_stall(gap_ns: int, wait_ns: int, *, is_late: bool) -> bool:
    """Whether this process did not run in a gap in which it was to wait so long.

    Where a bot would be late by it, less is enough.
    """
    return gap_ns > _STALL_NS or (is_late and gap_ns > wait_ns + _SLACK_NS)


class Lookout:
    """One bot, or the two of a game, as they are looked after while one of them is waited for.

    ``housekeeping`` is called at each look; of the waits of the slot ``lateness`` leaves out what
    a look took. ``looked_ns`` is when it was looked last, on the monotonic clock.
    """

    __slots__ = ("_delay_ns", "_guards", "_housekeeping", "lateness", "looked_ns")

    def __init__(
        self,
        guards: Sequence[Guard],
        housekeeping: Callable[[], None] | None,
        lateness: Lateness | None = None,
    ) -> None:
        self._guards = guards
        self._housekeeping = housekeeping
        self.lateness = lateness
        self.looked_ns = 0  # it is due as soon as there is time
        self._delay_ns = run_delay_ns()

    def is_due(self, now_ns: int) -> bool:
        """Whether it is time to look again."""
        return now_ns - self.looked_ns > LOOK_NS

    def look(self) -> None:
        """Look at the processes of all bots, and keep house."""
        for guard in self._guards:
            guard.look()
        if self._housekeeping is not None:
            self._housekeeping()
        self.looked_ns = time.monotonic_ns()
        self._delay_ns = run_delay_ns()
        if self.lateness is not None:
            self.lateness.slot_ran()

    def excused_ns(self, since_ns: int, wait_ns: int) -> int:
        """Return the time since then, which is not the asked bot's, after a look at all bots.

        A wait of ``wait_ns`` was meant to be in it. Raises AttemptLost unless one of them is found
        to have brought the machine to a halt.
        """
        stall_ns = time.monotonic_ns() - since_ns - wait_ns
        # Not stopped but kept waiting for a processor: by whom, the processors' clocks say.
        starved_ns = run_delay_ns() - self._delay_ns
        for guard in self._guards:
            guard.answer_for(stall_ns, starved_ns)
        self.look()
        if not any(guard.condemned for guard in self._guards):
            raise AttemptLost(
                f"the harness or the machine was stopped for {stall_ns // 1_000_000} ms while a "
                "clock ran"
            )
        return self.looked_ns - since_ns
