"""The processes of one bot: the one that was started and all below it, as ``/proc`` shows them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple

_CPU_CLOCK_OF_PROCESS: Final = 2
_MAX_STATUS_BYTES: Final = 64 * 1024
_HELD: Final = (b"RssAnon", b"RssShmem")
_PEAK: Final = b"VmHWM"


class TreeMemory(NamedTuple):
    """Memory of processes together: what they hold now, programs and files not counted, and the
    sum of the most that each had resident at once.
    """  # noqa: D205

    held_bytes: int
    peak_bytes: int


class ProcessTree:
    """What runs below one process. Looks only when told to; what ended meanwhile is passed over.

    ``process_ids`` begins with the process that was started.
    """

    __slots__ = ("_clocks", "_seen_ns", "process_ids")

    def __init__(self, leader: int) -> None:
        self.process_ids: tuple[int, ...] = (leader,)
        self._clocks = {leader: cpu_clock_of(leader)}
        self._seen_ns: dict[int, int] = {}

    def refresh(self) -> None:
        """Look which processes there are now."""
        leader = self.process_ids[0]
        self.process_ids = (leader, *descendants_of(leader))
        self._clocks = {process: cpu_clock_of(process) for process in self.process_ids}

    def cpu_ns(self) -> int:
        """Return the processor time of all processes that were seen, in nanoseconds."""
        seen = self._seen_ns
        for process, clock in self._clocks.items():
            try:
                seen[process] = time.clock_gettime_ns(clock)
            except OSError:
                continue
        return sum(seen.values())

    def memory(self, limit_bytes: int | None = None) -> TreeMemory:
        """Return the memory of all processes that were seen.

        Pages that processes share since a fork are counted for each, unless the sum is over
        ``limit_bytes``: then they are counted right, which is slow.
        """
        each = [_memory_of(process) for process in self.process_ids]
        held = sum(one.held_bytes for one in each)
        if limit_bytes is not None and held > limit_bytes and len(each) > 1:
            held = sum(map(_proportional_bytes, self.process_ids))
        return TreeMemory(held, sum(one.peak_bytes for one in each))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process that was seen."""
        for process in self.process_ids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)


def cpu_clock_of(process: int) -> int:
    """Return the id of the clock that counts the processor time of a process, all its threads."""
    return (~process << 3) | _CPU_CLOCK_OF_PROCESS


def descendants_of(process: int) -> Iterator[int]:
    """Yield the processes below this one, nearest first."""
    waiting = [process]
    for parent in waiting:
        children = list(children_of(parent))
        waiting += children
        yield from children


def children_of(process: int) -> Iterator[int]:
    """Yield the children of a process, those of each of its threads, zombies included."""
    folder = f"/proc/{process}/task"
    try:
        threads = os.listdir(folder)  # noqa: PTH208 - ten times quicker than a Path
    except OSError:
        return
    for thread in threads:
        yield from map(int, _read(f"{folder}/{thread}/children").split())


def is_zombie(process: int) -> bool:
    """Whether a process has ended and nobody has asked for its status yet."""
    return _read(f"/proc/{process}/stat").rpartition(b")")[2].split()[:1] == [b"Z"]


def _memory_of(process: int) -> TreeMemory:
    held = peak = 0
    for line in _read(f"/proc/{process}/status").splitlines():
        name, _, value = line.partition(b":")
        if name in _HELD:
            held += int(value.split()[0]) * 1024
        elif name == _PEAK:
            peak = int(value.split()[0]) * 1024
    return TreeMemory(held, peak)


def _proportional_bytes(process: int) -> int:
    """Return the share of a process in the pages that it shares, programs and files left out."""
    return sum(
        int(line.split()[1]) * 1024
        for line in _read(f"/proc/{process}/smaps_rollup").splitlines()
        if line.startswith((b"Pss_Anon:", b"Pss_Shmem:"))
    )


def _read(path: str) -> bytes:
    """Return the head of a file of ``/proc``; empty when the process is gone or not ours."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, _MAX_STATUS_BYTES)
    except OSError:
        return b""
    finally:
        os.close(fd)
