"""What a bot's processes may take of the machine, and what they took."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import Final

from harness.play.bot_definition import BotDefinition, Pondering, Sandbox
from harness.play.types import BotUsage
from harness.process.meter import LONG_NS, SHORT_NS, Meter
from harness.process.process_limits import DEFAULT_PROCESSES, SANDBOX_PROCESSES
from harness.process.process_tree import ProcessTree, rests

_CROWD_THREADS: Final = 8
"""So many threads that want a processor keep others waiting; a bot of one thread does not."""
_LONG_STALL_NS: Final = 500_000_000
_ASK_NS: Final = 50_000_000
"""At the ends of games parents are asked so seldom: they count in ticks of 10 ms, and to ask them
after every quick game would cost more than it tells."""
_MAX_STOPS: Final = 20
_STOP_SECONDS: Final = 0.0005
_MIB: Final = 1024 * 1024


class Guard:
    """Watches the processes of one bot: memory, number, processor time on and off turn.

    ``condemned`` says why the bot was ended, empty while it was not; ``is_over`` is set by whoever
    lets it go. ``suspends``: its processes are stopped between ``pause`` and ``resume``.
    """

    def __init__(self, definition: BotDefinition, leader: int) -> None:
        self._memory_mb = definition.memory_mb
        self._processes = definition.processes or DEFAULT_PROCESSES
        wrappers = SANDBOX_PROCESSES if definition.sandbox is Sandbox.BWRAP else 0
        self._most = self._processes + wrappers
        self.suspends = definition.pondering is Pondering.SUSPEND
        self._leader = leader
        self._crowd = max(_CROWD_THREADS, 2 * definition.threads)
        self._peak_memory_bytes = 0
        self._cpu_ns = 0
        self._asked_ns = 0
        self._ended_ns = 0
        self.tree = ProcessTree(leader)
        self.meter = Meter(self.tree)
        self.condemned = ""
        self.is_over = False
        self.is_paused = False

    @property
    def usage(self) -> BotUsage:
        """What was used since the meter was restarted; the memory since the bot was started."""
        meter = self.meter
        return BotUsage(meter.on_turn_ns, meter.off_turn_ns, self._peak_memory_bytes)

    def begin_count(self, *, is_first: bool) -> None:
        """Begin to count processor time; at the first time the tree may have grown unseen.

        What was used since ``end_count`` is left out, but for a short pause.
        """
        if is_first:
            self.tree.refresh(self._most)
        elif time.monotonic_ns() - self._ended_ns < SHORT_NS:
            self.meter.clear()
            return
        self.meter.restart(has_waited=self._may_ask_parents())

    def end_count(self) -> None:
        """Tell apart what was used until now."""
        self.meter.settle(LONG_NS if self._may_ask_parents() else 0)
        self._ended_ns = time.monotonic_ns()

    def _may_ask_parents(self) -> bool:
        """Whether it is time to ask the parents of what ended; then it counts as done."""
        now_ns = time.monotonic_ns()
        if now_ns - self._asked_ns < _ASK_NS:
            return False
        self._asked_ns = now_ns
        return True

    def look(self) -> None:
        """Look at all processes of the bot, and end it when they are beyond its limits."""
        if self.condemned or self.is_over:
            return
        tree = self.tree
        if self.is_paused:
            self._stop()
        else:
            tree.refresh(self._most)
        if len(tree.process_ids) > self._most:
            # First of all: a look at more would take longer than they need to become more.
            self._condemn(f"had more than {self._processes} processes, which is its limit")
            return
        limit_mb = self._memory_mb
        memory = tree.memory(None if limit_mb is None else limit_mb * _MIB)
        self._peak_memory_bytes = max(self._peak_memory_bytes, memory.peak_bytes)
        self._cpu_ns = tree.cpu_ns()
        if limit_mb is not None and memory.held_bytes > limit_mb * _MIB:
            used_mb = memory.held_bytes // _MIB
            self._condemn(f"used {used_mb} MB of memory, its limit is {limit_mb} MB")

    def answer_for(self, stall_ns: int, starved_ns: int) -> None:
        """End the bot when it is what kept the slot from a processor for so long.

        ``starved_ns`` of the ``stall_ns`` the slot could have run and did not; the bot answers
        for it when its processes ran for a third of that time since the last look: one thread
        among so many of other programs that the slot has to wait would have next to nothing.
        A bot that merely thinks has run for a short time too: there it must be a crowd.
        """
        if self.condemned or self.is_over or 2 * starved_ns < stall_ns:
            return
        used_ns = self.tree.cpu_ns() - self._cpu_ns
        if 3 * used_ns < starved_ns:
            return
        self.tree.refresh(self._most)
        if stall_ns >= _LONG_STALL_NS or self.tree.running_threads() >= self._crowd:
            self._condemn(f"kept its slot from the processor for {stall_ns / 1e9:.2f} s")

    def pause(self) -> None:
        """Stop all processes of a bot that must not compute now."""
        if self.suspends and not self.is_paused:
            self.is_paused = True
            self._stop()

    def resume(self) -> None:
        """Let a stopped bot go on."""
        if self.is_paused:
            self.is_paused = False
            self.tree.signal(signal.SIGCONT)

    def _stop(self) -> None:
        """Stop all processes, and what they were forking meanwhile, until nothing is left to."""
        tree = self.tree
        for _ in range(_MAX_STOPS):
            tree.refresh(self._most)
            running = [process for process in tree.process_ids if not rests(process)]
            if not running:
                break
            for process in running:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGSTOP)
            time.sleep(_STOP_SECONDS)  # on a shared core they need it to come to their stop

    def kill(self) -> None:
        """Kill the bot's group, then what else was seen of it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, signal.SIGKILL)
        self.tree.signal(signal.SIGKILL)

    def _condemn(self, why: str) -> None:
        self.condemned = why
        self.kill()
