"""The last bytes of a stream that is read without limit."""

from __future__ import annotations

from typing import Final

TAIL_BYTES: Final = 8 * 1024


class Tail:
    """Keeps the last bytes that were written to it."""

    __slots__ = ("_kept", "_limit_bytes")

    def __init__(self, limit_bytes: int = TAIL_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._kept = b""

    def write(self, chunk: bytes) -> None:
        """Append a chunk and forget what is before the limit."""
        self._kept = (self._kept + chunk)[-self._limit_bytes :]

    def clear(self) -> None:
        """Forget everything."""
        self._kept = b""

    def text(self) -> str:
        """Return what is kept as text; bytes that are no UTF-8 become U+FFFD."""
        return self._kept.decode("utf-8", "replace")
