"""What a bot's processes may take of the machine, and what they took."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Final

from harness.play.bot_definition import BotDefinition, Pondering
from harness.play.types import BotUsage
from harness.process.meter import Meter
from harness.process.process_tree import ProcessTree

DEFAULT_PROCESSES: Final = 256
_MIB: Final = 1024 * 1024


class Guard:
    """Watches the processes of one bot: memory, number, processor time on and off turn.

    ``condemned`` says why the bot was ended, empty while it was not. ``suspends``: its processes
    are stopped between ``pause`` and ``resume``.
    """

    def __init__(self, definition: BotDefinition, leader: int) -> None:
        self._memory_mb = definition.memory_mb
        self._processes = definition.processes or DEFAULT_PROCESSES
        self.suspends = definition.pondering is Pondering.SUSPEND
        self._leader = leader
        self._peak_memory_bytes = 0
        self.tree = ProcessTree(leader)
        self.meter = Meter(self.tree)
        self.condemned = ""
        self.is_paused = False

    @property
    def usage(self) -> BotUsage:
        """What was used since the meter was restarted; the memory since the bot was started."""
        meter = self.meter
        return BotUsage(meter.on_turn_ns, meter.off_turn_ns, self._peak_memory_bytes)

    def look(self) -> None:
        """Look at all processes of the bot, and end it when they are beyond its limits."""
        tree = self.tree
        tree.refresh()
        limit_mb = self._memory_mb
        memory = tree.memory(None if limit_mb is None else limit_mb * _MIB)
        self._peak_memory_bytes = max(self._peak_memory_bytes, memory.peak_bytes)
        if self.condemned:
            return
        if limit_mb is not None and memory.held_bytes > limit_mb * _MIB:
            used_mb = memory.held_bytes // _MIB
            self._condemn(f"used {used_mb} MB of memory, its limit is {limit_mb} MB")
        elif len(tree.process_ids) > self._processes:
            count = len(tree.process_ids)
            self._condemn(f"had {count} processes, its limit is {self._processes}")

    def pause(self) -> None:
        """Stop all processes of a bot that must not compute now."""
        if self.suspends and not self.is_paused:
            self.tree.refresh()
            self.tree.signal(signal.SIGSTOP)
            self.is_paused = True

    def resume(self) -> None:
        """Let a stopped bot go on."""
        if self.is_paused:
            self.is_paused = False
            self.tree.signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill the bot's group, then what else was seen of it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, signal.SIGKILL)
        self.tree.signal(signal.SIGKILL)

    def _condemn(self, why: str) -> None:
        self.condemned = why
        self.kill()
