"""The lines between the slot and its bots in one game: the last ones, or all up to a bound."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

TRANSCRIPT_BYTES: Final = 4 * 1024 * 1024
_RECENT_ENTRIES: Final = 40
_MAX_SHOWN_BYTES: Final = 4 * 1024
_MAX_SHOWN_LINES: Final = 40
_HEAD_BYTES: Final = 100
"""At least what the head of a line takes: a bot may write nothing but newlines."""
_CUT: Final = b" [cut]"


Entry = tuple[int, str, str, bytes]
"""Monotonic time in nanoseconds, bot, ``>`` (sent), ``<`` (came) or ``!`` (stderr), text."""


class Journal:
    """What was sent and what came, with the time since the begin of the game.

    One entry is one write or one read and may hold several lines. Keeps the last entries only,
    or with ``is_whole`` all of them up to ``TRANSCRIPT_BYTES`` together, heads of lines included.
    """

    __slots__ = ("_begun_ns", "_entries", "_is_whole", "_left_bytes", "_missing", "add")

    def __init__(self, *, is_whole: bool = False) -> None:
        self._is_whole = is_whole
        self._entries: deque[Entry] = deque(maxlen=None if is_whole else _RECENT_ENTRIES)
        self._begun_ns = time.monotonic_ns()
        self._left_bytes = TRANSCRIPT_BYTES
        self._missing = 0
        # Twice a ply: without a transcript nothing is looked at before it is shown.
        self.add: Callable[[Entry], None] = self._add_bounded if is_whole else self._entries.append

    def text(self) -> str:
        """Return one line an entry's line: milliseconds, bot, direction, text.

        Without ``is_whole`` only the begin of a long entry that was sent is shown, and only the
        end of one that came.
        """
        lines = []
        for at_ns, bot, direction, text in self._entries:
            shown = text.splitlines() if self._is_whole else _shortened(direction, text)
            head = f"{(at_ns - self._begun_ns) / 1e6:12.3f} {bot} {direction}"
            lines += [f"{head} {line.decode('utf-8', 'replace')}" for line in shown]
        if self._missing:
            lines.append(f"[{self._missing} later entries are cut]")
        return "\n".join(lines)

    def _add_bounded(self, entry: Entry) -> None:
        text = entry[3]
        lines = 1 + text.count(b"\n") + text.count(b"\r")
        self._left_bytes -= len(text) + _HEAD_BYTES * lines
        if self._left_bytes < 0:
            self._missing += 1
        else:
            self._entries.append(entry)


def _shortened(direction: str, text: bytes) -> list[bytes]:
    """Return the first lines of what was sent, the last ones of what came."""
    if direction == ">":
        cut = _CUT if len(text) > _MAX_SHOWN_BYTES else b""
        return (text[:_MAX_SHOWN_BYTES] + cut).splitlines()[:_MAX_SHOWN_LINES]
    return text[-_MAX_SHOWN_BYTES:].splitlines()[-_MAX_SHOWN_LINES:]
