"""The lines of one step, bounded: the first and the last ones, each cut where it is too long."""

from __future__ import annotations

import time
from collections import deque
from typing import Final

from harness.process.conformance.report import Line

_FIRST_LINES: Final = 200
_LAST_LINES: Final = 40
MAX_LINE_CHARACTERS: Final = 2_000
"""A longer line is cut; the longest request of a step, 300 plies, is not."""


class Transcript:
    """Takes the lines of all processes of a step; ``begin`` starts a new step."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget everything: a new step begins now."""
        self._begun_ns = time.monotonic_ns()
        self._first: list[Line] = []
        self._last: deque[Line] = deque(maxlen=_LAST_LINES)
        self._count = 0

    def trace(self, bot: str, direction: str, line: bytes) -> None:
        """Take a line, as ``BotProcess`` hands it on.

        What comes from stderr is left out, as it comes in pieces: see ``add_errors``.
        """
        if direction != "!":
            self.add(direction, line)

    def add_errors(self, text: str) -> None:
        """Take what the bot wrote to stderr."""
        for line in text.splitlines():
            self.add("!", line.encode())

    def add(self, direction: str, line: bytes, *, has_end: bool = True) -> None:
        """Take a line; ``has_end`` is False for text whose newline did not come."""
        text = line[: 4 * MAX_LINE_CHARACTERS].decode("utf-8", "replace")[:MAX_LINE_CHARACTERS]
        at_ms = (time.monotonic_ns() - self._begun_ns) / 1e6
        kept = self._first if len(self._first) < _FIRST_LINES else self._last
        kept.append(Line(at_ms, direction, text, has_end))
        self._count += 1

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that are kept, in order."""
        return (*self._first, *self._last)

    @property
    def left_out(self) -> int:
        """How many lines are not kept."""
        return self._count - len(self._first) - len(self._last)

    def answers(self) -> list[str]:
        """Return the kept lines that the bot wrote to its output since the last request."""
        lines = self.lines
        begin = max((at for at, line in enumerate(lines) if line.direction == ">"), default=-1)
        return [line.text for line in lines[begin + 1 :] if line.direction == "<"]
