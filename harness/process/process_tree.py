"""The processes of one bot: the one that was started and all below it, as ``/proc`` shows them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Final, NamedTuple

_CPU_CLOCK_OF_PROCESS: Final = 2
_TICK_NS: Final = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_WAITED_FIELDS: Final = slice(13, 15)  # cutime and cstime, counted from the state
_MAX_STATUS_BYTES: Final = 64 * 1024
_HELD: Final = (b"RssAnon", b"RssShmem", b"VmSwap")
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

    __slots__ = ("_clocks", "_cpu_ns", "_gone_ns", "_seen_ns", "_waited_ns", "process_ids")

    def __init__(self, leader: int) -> None:
        self.process_ids: tuple[int, ...] = (leader,)
        self._clocks = {leader: cpu_clock_of(leader)}
        self._seen_ns: dict[int, int] = {}
        self._gone_ns = 0
        self._waited_ns = 0
        self._cpu_ns = 0

    def refresh(self, most: int | None = None) -> None:
        """Look which processes there are now, at most so many below the one that was started."""
        leader = self.process_ids[0]
        self.process_ids = (leader, *islice(descendants_of(leader), most))
        clocks = {process: cpu_clock_of(process) for process in self.process_ids}
        for process in self._clocks.keys() - clocks:
            self._gone_ns += self._seen_ns.pop(process, 0)
        self._clocks = clocks
        self.cpu_ns()  # what ends before the next look has been seen

    def cpu_ns(self, *, has_waited: bool = True) -> int:
        """Return the processor time of all processes so far, in nanoseconds.

        Of those that ended: what was seen of them, or what their parents were told at their
        end, where that is more. It counts the ones that nobody saw. Without ``has_waited`` the
        parents are not asked again, which takes ten times as long as the rest.
        """
        seen = self._seen_ns
        for process, clock in tuple(self._clocks.items()):
            try:
                seen[process] = time.clock_gettime_ns(clock)
            except OSError:
                del self._clocks[process]
                self._gone_ns += seen.pop(process, 0)
        if has_waited:
            self._waited_ns = sum(map(_waited_ns, self._clocks))
        now_ns = sum(seen.values()) + max(self._gone_ns, self._waited_ns)
        self._cpu_ns = max(self._cpu_ns, now_ns)
        return self._cpu_ns

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

    def running_threads(self) -> int:
        """Return how many threads of all processes run or would if they could."""
        return sum(
            _state_in(f"/proc/{process}/task/{thread}/stat") == b"R"
            for process in self.process_ids
            for thread in _threads_of(process)
        )

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process that was seen."""
        for process in self.process_ids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)


def cpu_clock_of(process: int) -> int:
    """Return the id of the clock that counts the processor time of a process, all its threads."""
    return (~process << 3) | _CPU_CLOCK_OF_PROCESS


def run_delay_ns() -> int:
    """Return how long this thread has waited for a processor so far; 0 where nothing says it."""
    fields = _read("/proc/thread-self/schedstat").split()
    return int(fields[1]) if len(fields) > 1 else 0


def descendants_of(process: int) -> Iterator[int]:
    """Yield the processes below this one, nearest first."""
    waiting = [process]
    for parent in waiting:
        children = list(children_of(parent))
        waiting += children
        yield from children


def children_of(process: int) -> Iterator[int]:
    """Yield the children of a process, those of each of its threads, zombies included."""
    for thread in _threads_of(process):
        yield from map(int, _read_all(f"/proc/{process}/task/{thread}/children").split())


def is_zombie(process: int) -> bool:
    """Whether a process has ended and nobody has asked for its status yet."""
    return _state_of(process) == b"Z"


def is_stopped(process: int) -> bool:
    """Whether a process was stopped by a signal and does not run until it is told to."""
    return _state_of(process) == b"T"


def is_first_of_namespace(process: int) -> bool:
    """Whether a process is number 1 of a PID namespace below ours."""
    for line in _read(f"/proc/{process}/status").splitlines():
        if line.startswith(b"NSpid:"):
            return line.split()[2:] != [] and line.split()[-1] == b"1"
    return False


def rests(process: int) -> bool:
    """Whether a process was stopped, or has ended."""
    return _state_of(process) in (b"T", b"t", b"Z", b"X", b"")


def _state_of(process: int) -> bytes:
    """Return the letter of its state; empty when it is gone."""
    return _state_in(f"/proc/{process}/stat")


def _state_in(path: str) -> bytes:
    return b"".join(_read(path).rpartition(b")")[2].split()[:1])


def _threads_of(process: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{process}/task")  # noqa: PTH208 - ten times quicker than a Path
    except OSError:
        return []


def _waited_ns(process: int) -> int:
    """Return the processor time of the children that a process has waited for, and of theirs."""
    fields = _read(f"/proc/{process}/stat").rpartition(b")")[2].split()[_WAITED_FIELDS]
    return sum(map(int, fields)) * _TICK_NS


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


def _read_all(path: str) -> bytes:
    """Return a list of ``/proc``, of which one read gives a page only; empty when it is gone."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - quicker than a Path
            return file.readall()
    except OSError:
        return b""
