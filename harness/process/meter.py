"""Processor time of a bot, on its turns and between them, without a look at every ply."""

from __future__ import annotations

from typing import Final

from harness.process.process_tree import ProcessTree

SHORT_NS: Final = 500_000
"""Turns and pauses below this are not looked at one by one: their time is told apart later."""

LONG_NS: Final = 5_000_000
"""After turns and pauses below this the parents of what ended are not asked for its time."""


class Meter:
    """Tells the processor time of a bot on its turns from that off its turns.

    A look costs some ten microseconds a process, more than a ply of quick bots: so short turns and
    pauses are added up, and what was used in them counts as on turn up to their length.
    ``short_turns_ns`` is their sum since the last look: whoever takes the turns adds to it.
    """

    __slots__ = ("_seen_ns", "_tree", "off_turn_ns", "on_turn_ns", "short_turns_ns")

    def __init__(self, tree: ProcessTree) -> None:
        self._tree = tree
        self._seen_ns = tree.cpu_ns()
        self.short_turns_ns = 0
        self.on_turn_ns = 0
        self.off_turn_ns = 0

    def restart(self, *, has_waited: bool = True) -> None:
        """Begin to count anew; ``has_waited``: ask the parents of what ended."""
        self._used_ns(has_waited=has_waited)
        self.clear()

    def clear(self) -> None:
        """Begin to count anew, from the last look on."""
        self.short_turns_ns = 0
        self.on_turn_ns = 0
        self.off_turn_ns = 0

    def moved(self, turn_ns: int) -> None:
        """Take note, at the end of a turn that was not short, of how long it was."""
        self.on_turn_ns += self._used_ns(has_waited=turn_ns >= LONG_NS)
        self.short_turns_ns = 0

    def settle(self, pause_ns: int = LONG_NS) -> None:
        """Tell apart what was used since the last look, after so long a time off turn."""
        used_ns = self._used_ns(has_waited=pause_ns >= LONG_NS)
        on_turn_ns = min(used_ns, self.short_turns_ns)
        self.on_turn_ns += on_turn_ns
        self.off_turn_ns += used_ns - on_turn_ns
        self.short_turns_ns = 0

    def _used_ns(self, *, has_waited: bool) -> int:
        now_ns = self._tree.cpu_ns(has_waited=has_waited)
        used_ns = now_ns - self._seen_ns
        self._seen_ns = now_ns
        return used_ns
