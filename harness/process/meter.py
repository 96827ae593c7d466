"""Processor time of a bot, on its turns and between them, without a look at every ply."""

from __future__ import annotations

from typing import Final

from harness.process.process_tree import ProcessTree

SHORT_NS: Final = 500_000
"""Turns and pauses below this are not looked at one by one: their time is told apart later."""

_LONG_NS: Final = 5_000_000
"""After turns and pauses below this the parents of what ended are not asked for its time."""


class Meter:
    """Tells the processor time of a bot on its turns from that off its turns.

    A look costs some ten microseconds a process, more than a ply of quick bots: so short turns and
    pauses are added up, and what was used in them counts as on turn up to their length.
    """

    __slots__ = ("_seen_ns", "_tree", "_unseen_turns_ns", "off_turn_ns", "on_turn_ns")

    def __init__(self, tree: ProcessTree) -> None:
        self._tree = tree
        self._seen_ns = tree.cpu_ns()
        self._unseen_turns_ns = 0
        self.on_turn_ns = 0
        self.off_turn_ns = 0

    def restart(self) -> None:
        """Begin to count anew."""
        self._seen_ns = self._tree.cpu_ns()
        self._unseen_turns_ns = 0
        self.on_turn_ns = 0
        self.off_turn_ns = 0

    def moved(self, turn_ns: int) -> None:
        """Take note, at the end of a turn, of how long it was."""
        if turn_ns < SHORT_NS:
            self._unseen_turns_ns += turn_ns
            return
        self.on_turn_ns += self._used_ns(has_waited=turn_ns >= _LONG_NS)
        self._unseen_turns_ns = 0

    def settle(self, pause_ns: int = _LONG_NS) -> None:
        """Tell apart what was used since the last look, after so long a time off turn."""
        used_ns = self._used_ns(has_waited=pause_ns >= _LONG_NS)
        on_turn_ns = min(used_ns, self._unseen_turns_ns)
        self.on_turn_ns += on_turn_ns
        self.off_turn_ns += used_ns - on_turn_ns
        self._unseen_turns_ns = 0

    def _used_ns(self, *, has_waited: bool) -> int:
        now_ns = self._tree.cpu_ns(has_waited=has_waited)
        used_ns = now_ns - self._seen_ns
        self._seen_ns = now_ns
        return used_ns
