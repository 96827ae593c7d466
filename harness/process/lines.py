"""Bytes from a pipe into lines, with a bound on what is kept."""

from __future__ import annotations

from typing import Final

MAX_LINE_BYTES: Final = 64 * 1024
_CR: Final = 13


class LineSplitter:
    """Splits chunks at LF, strips one CR, and drops every line over the bound whole.

    Never holds more than the bound and one chunk.
    """

    __slots__ = ("_max_line_bytes", "_partial", "_skipping")

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes
        self._partial = b""
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that the chunk completes, without their ends."""
        if not (self._partial or self._skipping):
            end = len(chunk) - 1
            if chunk.find(b"\n") == end and 0 < end <= self._max_line_bytes:
                # One whole line, as bots usually answer.
                return [chunk[:end] if chunk[end - 1] != _CR else chunk[: end - 1]]
        *complete, rest = chunk.split(b"\n")
        if complete:
            if self._skipping:
                del complete[0]
                self._skipping = False
            elif self._partial:
                complete[0] = self._partial + complete[0]
            self._partial = b""
        if self._skipping:
            return []
        if len(self._partial) + len(rest) > self._max_line_bytes + 1:
            self._partial = b""
            self._skipping = True
        elif rest:
            self._partial += rest
        bound = self._max_line_bytes
        lines = [line[:-1] if line.endswith(b"\r") else line for line in complete]
        return [line for line in lines if len(line) <= bound]

    def clear(self) -> None:
        """Forget an unfinished line: what follows begins a new one."""
        self._partial = b""
        self._skipping = False
