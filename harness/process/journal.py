"""The lines between the slot and its bots in one game: the last ones, or all up to a bound."""

from __future__ import annotations

import time
from collections import deque
from typing import Final

TRANSCRIPT_BYTES: Final = 4 * 1024 * 1024
_RECENT_ENTRIES: Final = 40
_MAX_ENTRY_BYTES: Final = 4 * 1024
_CUT: Final = b" [cut]"


class Journal:
    """What was sent and what came, with the time since the begin of the game.

    Keeps the last entries only, or with ``is_whole`` everything up to ``TRANSCRIPT_BYTES``.
    One entry is one write or one read and may hold several lines; of long ones the begin is kept
    (of what was sent) or the end (of what came).
    """

    __slots__ = ("_begun_ns", "_entries", "_is_whole", "_left_bytes", "_missing")

    def __init__(self, *, is_whole: bool = False) -> None:
        self._is_whole = is_whole
        self._entries: deque[tuple[int, str, str, bytes]] = deque(
            maxlen=None if is_whole else _RECENT_ENTRIES
        )
        self._begun_ns = time.monotonic_ns()
        self._left_bytes = TRANSCRIPT_BYTES
        self._missing = 0

    def add(self, at_ns: int, bot: str, direction: str, text: bytes) -> None:
        """Take note of what was sent (``>``), came (``<``) or was an error line (``!``).

        ``at_ns`` is monotonic time.
        """
        if len(text) > _MAX_ENTRY_BYTES and not self._is_whole:
            text = text[:_MAX_ENTRY_BYTES] + _CUT if direction == ">" else text[-_MAX_ENTRY_BYTES:]
        if self._is_whole:
            self._left_bytes -= len(text)
            if self._left_bytes < 0:
                self._missing += 1
                return
        self._entries.append((at_ns, bot, direction, text))

    def text(self) -> str:
        """Return one line an entry's line: milliseconds, bot, direction, text."""
        lines = []
        for at_ns, bot, direction, text in self._entries:
            head = f"{(at_ns - self._begun_ns) / 1e6:12.3f} {bot} {direction}"
            lines += [f"{head} {line.decode('utf-8', 'replace')}" for line in text.splitlines()]
        if self._missing:
            lines.append(f"[{self._missing} later entries are cut]")
        return "\n".join(lines)
