"""Whole lines to a file, pipe or terminal, without ever waiting for whoever reads them."""

from __future__ import annotations

import os
import select
import stat
import time
from typing import Final

from harness.director.whole_line import append_whole
from harness.director.write_errors import why_not_written

MAX_WAITING_BYTES: Final = 8 * 1024 * 1024
_CHUNK_BYTES: Final = 4096  # a pipe that has room has room for so many


class LineSink:
    """Takes lines for a descriptor that it does not own.

    A file gets each line in one write, whole or not at all. A reader that is slow is not waited
    for: up to 8 MiB wait for it. After a failure, told in ``failure``, nothing more is written.
    """

    def __init__(self, fd: int) -> None:
        self.failure: str | None = None
        self._fd = fd
        self._is_file = stat.S_ISREG(os.fstat(fd).st_mode)
        self._waiting = bytearray()
        self._poll = select.poll()
        self._poll.register(fd, select.POLLOUT)

    def write(self, line: bytes) -> None:
        """Write a line now, or keep it until there is room for it."""
        if self.failure is not None:
            return
        if self._is_file:
            why = append_whole(self._fd, line)
            if why is not None:
                self._fail(why)
            return
        self._waiting += line
        self.flush()
        if len(self._waiting) > MAX_WAITING_BYTES:
            self._fail("whoever reads them is too slow")

    def flush(self, wait_seconds: float = 0.0) -> None:
        """Write what waits, as far as there is room for it within so many seconds."""
        deadline = time.monotonic() + wait_seconds
        while self._waiting and self.failure is None:
            left_ms = max(0.0, deadline - time.monotonic()) * 1000
            if not self._poll.poll(left_ms):
                return
            try:
                written = os.write(self._fd, self._waiting[:_CHUNK_BYTES])
            except BlockingIOError:
                return
            except BrokenPipeError:
                self._fail("whoever read them is gone")
            except OSError as error:
                self._fail(why_not_written(error))
            else:
                del self._waiting[:written]

    def _fail(self, why: str) -> None:
        self.failure = why
        self._waiting.clear()
