"""Processes that left their bot: orphans that the slot adopted. They are ended by their ids."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection, Iterator, Set
from contextlib import contextmanager, suppress
from typing import Final

from harness.process.containment import Containment
from harness.process.process_tree import children_of, descendants_of
from harness.process.system_calls import adopt_orphans

_OWN_CHILDREN: Final = "/proc/thread-self/children"
_MAX_CHILDREN_BYTES: Final = 4096
_MAX_ROUNDS: Final = 400
_ROUND_SECONDS: Final = 0.002


class Strays:
    """What this process became the parent of without having started it.

    Nothing where orphans are not adopted (``process-group``). All other children of this
    process must be bots, whose ids are given to ``end``.
    """

    def __init__(self, containment: Containment) -> None:
        self._containment = containment
        self._children_fd: int | None = None
        if containment is not Containment.PROCESS_GROUP:
            with suppress(OSError):
                self._children_fd = os.open(_OWN_CHILDREN, os.O_RDONLY | os.O_CLOEXEC)

    def are_seen(self, bots: Set[int]) -> bool:
        """Whether the calling thread, the one that made this, is the parent of a stray.

        A tenth of what ``end`` costs, which looks at all threads and is called now and then.
        """
        if self._children_fd is None:
            return self._containment is not Containment.PROCESS_GROUP
        children = os.pread(self._children_fd, _MAX_CHILDREN_BYTES, 0).split()
        return len(children) > len(bots) or any(int(child) not in bots for child in children)

    def close(self) -> None:
        """Close what is kept open; safe to call twice."""
        if self._children_fd is not None:
            os.close(self._children_fd)
            self._children_fd = None

    def end(self, bots: Collection[int]) -> int:
        """End every stray and all below it, and reap them; returns how many there were.

        ``bots`` are the processes that were started and are not to be touched.
        """
        if self._containment is Containment.PROCESS_GROUP:
            return 0
        ended: set[int] = set()
        for attempt in range(_MAX_ROUNDS):
            strays = [process for process in children_of(os.getpid()) if process not in bots]
            if not strays:
                break
            for process in strays:
                _end(process)
                # A child's number is not given away before it is reaped: it is the right one.
                with suppress(ChildProcessError):
                    os.waitpid(process, os.WNOHANG)
            ended.update(strays)
            if attempt:
                time.sleep(_ROUND_SECONDS)
        return len(ended)


@contextmanager
def strays_ended() -> Iterator[None]:
    """Have what bots leave behind end with this context, in a process that is no slot.

    What was a child of this process before stays; what was started in the context and is still
    running at its end is taken for a stray.
    """
    with suppress(OSError):
        adopt_orphans()
    before = set(children_of(os.getpid()))
    try:
        yield
    finally:
        strays = Strays(Containment.SUBREAPER)
        strays.end(before)
        strays.close()
        with suppress(OSError):
            adopt_orphans(is_wanted=False)


def _end(process: int) -> None:
    """Kill a process, its group where it leads one, and all below it."""
    below = list(descendants_of(process))
    with suppress(ProcessLookupError, PermissionError):
        group = os.getpgid(process)
        if group == process:
            # At once for all members: those that fork on and on cannot run away from it.
            os.killpg(group, signal.SIGKILL)
    for one in (process, *below):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)
