"""The lines between the slot and its bots in one game: the last ones, or all up to a bound."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Final

TRANSCRIPT_BYTES: Final = 4 * 1024 * 1024
_RECENT_ENTRIES: Final = 40
_MAX_SHOWN_BYTES: Final = 4 * 1024
_MAX_SHOWN_LINES: Final = 40
_HEAD_BYTES: Final = 100
"""At least what the head of a line takes: a bot may write nothing but newlines."""
_CUT: Final = b" [cut]"
_UNFINISHED: Final = b" [no newline]"


Entry = tuple[int, str, str, bytes]
"""Monotonic time in nanoseconds, bot, ``>`` (sent), ``<`` (came) or ``!`` (stderr), text."""

Exchange = tuple[int, int, str, bytes, bytes]
"""Monotonic times in nanoseconds of a request and of its answer, bot, request, answer."""


class Journal:
    """What was sent and what came, with the time since the begin of the game.

    One entry is one write or one read, several lines or a piece of one; or both of a quick turn.
    Keeps the last entries only, or with ``is_whole`` all of them up to ``TRANSCRIPT_BYTES``
    together, heads of lines included.
    """

    __slots__ = (
        "_begun_ns",
        "_entries",
        "_is_whole",
        "_left_bytes",
        "_missing",
        "add",
        "add_exchange",
    )

    def __init__(self, *, is_whole: bool = False) -> None:
        self._is_whole = is_whole
        self._entries: deque[Entry | Exchange] = deque(maxlen=None if is_whole else _RECENT_ENTRIES)
        self._begun_ns = time.monotonic_ns()
        self._left_bytes = TRANSCRIPT_BYTES
        self._missing = 0
        # Every ply: without a transcript nothing is looked at before it is shown.
        self.add: Callable[[Entry], None] = self._add_bounded if is_whole else self._entries.append
        self.add_exchange: Callable[[Exchange], None] = (
            self._add_both if is_whole else self._entries.append
        )

    def include(self, other: Journal) -> None:
        """Add what stands in another journal; it is shown in the order of time."""
        for entry in other._each():
            self.add(entry)
        self._missing += other._missing

    def text(self) -> str:
        """Return one line a line: milliseconds, bot, direction, text.

        The time of a line is that of its end; one that never ended is marked. Without ``is_whole``
        only the begin of a long entry that was sent is shown, and only the end of what came.
        """
        lines: list[str] = []
        for at_ns, bot, direction, text in self._whole_lines():
            shown = text.splitlines() if self._is_whole else _shortened(direction, text)
            head = f"{(at_ns - self._begun_ns) / 1e6:12.3f} {bot} {direction}"
            lines += [f"{head} {line.decode('utf-8', 'replace')}" for line in shown]
        if self._missing:
            lines.append(f"[{self._missing} later entries are cut]")
        return "\n".join(lines)

    def _whole_lines(self) -> Iterator[Entry]:
        """Yield the entries with what came put together to lines, as the slot read them."""
        unfinished: dict[str, tuple[int, bytearray]] = {}
        for at_ns, bot, direction, text in sorted(self._each(), key=itemgetter(0)):
            if direction != "<":
                if bot in unfinished:  # a new request: what was unfinished then is forgotten
                    yield _without_end(bot, *unfinished.pop(bot))
                yield at_ns, bot, direction, text
                continue
            _, begun = unfinished.pop(bot, (0, bytearray()))
            end = text.rfind(b"\n") + 1
            if end:
                yield at_ns, bot, direction, bytes(begun) + text[:end]
                begun = bytearray()
            begun += text[end:]
            if not self._is_whole:
                del begun[:-_MAX_SHOWN_BYTES]
            if begun:
                unfinished[bot] = at_ns, begun
        for bot, (at_ns, begun) in unfinished.items():
            yield _without_end(bot, at_ns, begun)

    def _each(self) -> Iterator[Entry]:
        for one in self._entries:
            if len(one) == 5:
                yield from _taken_apart(one)
            else:
                yield one

    def _add_both(self, exchange: Exchange) -> None:
        for entry in _taken_apart(exchange):
            self._add_bounded(entry)

    def _add_bounded(self, entry: Entry) -> None:
        text = entry[3]
        lines = 1 + text.count(b"\n") + text.count(b"\r")
        self._left_bytes -= len(text) + _HEAD_BYTES * lines
        if self._left_bytes < 0:
            self._missing += 1
        else:
            self._entries.append(entry)


def _taken_apart(exchange: Exchange) -> tuple[Entry, Entry]:
    asked_ns, answered_ns, bot, request, answer = exchange
    return (asked_ns, bot, ">", request), (answered_ns, bot, "<", answer)


def _without_end(bot: str, at_ns: int, text: bytearray) -> Entry:
    return at_ns, bot, "<", bytes(text) + _UNFINISHED


def _shortened(direction: str, text: bytes) -> list[bytes]:
    """Return the first lines of what was sent, the last ones of what came."""
    if direction == ">":
        cut = _CUT if len(text) > _MAX_SHOWN_BYTES else b""
        return (text[:_MAX_SHOWN_BYTES] + cut).splitlines()[:_MAX_SHOWN_LINES]
    return text[-_MAX_SHOWN_BYTES:].splitlines()[-_MAX_SHOWN_LINES:]
