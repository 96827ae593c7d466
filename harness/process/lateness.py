"""How long a bot and its slot wait for a processor while the bot's clock runs.

That time is charged to the bot and is not its own: others had the processor, or it had to be woken.
Linux counts it for each thread, from when it could run until it does, beside the time that it ran:
``schedstat`` (Documentation/scheduler/sched-stats.rst).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from harness.play.bot_definition import Sandbox
from harness.play.lateness import GameLateness
from harness.process.process_limits import SANDBOX_PROCESSES

_MAX_BYTES: Final = 64


class Spell(NamedTuple):
    """For how long a thread ran, and for how long it was ready to and waited."""

    ran_ns: int
    waited_ns: int


class ThreadTimes:
    """How long one thread has run and waited for a processor, from a file that is kept open.

    Nothing is known without a file, where the system does not count it, and once the thread is
    gone.
    """

    __slots__ = ("_fd", "_ran_ns", "_waited_ns")

    def __init__(self, path: str = "") -> None:
        self._ran_ns = self._waited_ns = 0
        self._fd: int | None = None
        if path:
            with suppress(OSError):
                self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            self.since_last()

    @classmethod
    def of_this_thread(cls) -> ThreadTimes:
        """Watch the thread that calls."""
        return cls("/proc/thread-self/schedstat")

    @classmethod
    def of_bot(cls, process_ids: Sequence[int], sandbox: Sandbox | None) -> ThreadTimes:
        """Watch the main thread of a bot; ``process_ids`` are its tree, nearest first.

        In a sandbox the processes of the walls come before it.
        """
        place = SANDBOX_PROCESSES if sandbox is Sandbox.BWRAP else 0
        if place >= len(process_ids):
            return cls()
        return cls(f"/proc/{process_ids[place]}/schedstat")

    @property
    def is_known(self) -> bool:
        """Whether they can be read."""
        return self._fd is not None

    def since_last(self) -> Spell | None:
        """Return what came to them since the last call; None where it is not known."""
        if self._fd is None:
            return None
        try:
            ran, waited, times_run = os.pread(self._fd, _MAX_BYTES, 0).split()
        except (OSError, ValueError):
            self.close()
            return None
        if times_run == b"0":  # it has run all the same: it is not counted here
            self.close()
            return None
        before_ns = self._ran_ns, self._waited_ns
        self._ran_ns, self._waited_ns = int(ran), int(waited)
        return Spell(self._ran_ns - before_ns[0], self._waited_ns - before_ns[1])

    def close(self) -> None:
        """Close the file; safe to call twice."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class Lateness:
    """What one game's turns had of such waits; one for both bots, as they share the slot.

    A reading costs some microseconds: only turns of ``SHORT_NS`` (``meter``) and more are to be
    given to it. ``has_long_turns``: whether one was.
    """

    __slots__ = ("_begun", "_late_ns", "_slot", "has_long_turns")

    def __init__(self, slot: ThreadTimes) -> None:
        self._slot = slot
        self._begun: list[ThreadTimes] = []
        self._late_ns: list[int] = []
        self.has_long_turns = False

    def turn_begins(self, bot: ThreadTimes) -> None:
        """Leave out what both waited until now, when no clock ran or the opponent's."""
        self._slot.since_last()
        bot.since_last()
        if bot not in self._begun:
            self._begun.append(bot)

    def slot_ran(self) -> None:
        """Leave out what the slot waited until now, in a turn that goes on."""
        self._slot.since_last()

    def turn_ended(self, bot: ThreadTimes, turn_ns: int, *, is_read: bool = True) -> None:
        """Take note of a turn that took so long; of one that cannot be measured nothing.

        While the bot runs its slot may wait, on a processor that they share: that makes no turn
        late. So a turn was not later than what the bot did not run of it. It cannot be told from
        the turns before it when the bot was not read since: in this game, and unless ``is_read``
        since its last turn.
        """
        self.has_long_turns = True
        if not (is_read and bot in self._begun):
            self.turn_begins(bot)
            return
        slot, own = self._slot.since_last(), bot.since_last()
        if slot is not None and own is not None:
            idle_ns = max(0, turn_ns - own.ran_ns)
            self._late_ns.append(min(slot.waited_ns + own.waited_ns, idle_ns))

    @property
    def of_game(self) -> GameLateness | None:
        """The sum of all turns so far; None without any."""
        return GameLateness.of_turns(self._late_ns)

    def entries(self) -> dict[str, int]:
        """Return the entries of the game's provenance: none where nothing was measured."""
        late = self.of_game
        return {} if late is None else late.entries()
