"""A line at the end of a file: all of it, or nothing."""

from __future__ import annotations

import os
from contextlib import suppress

from harness.director.write_errors import why_not_written


def append_whole(fd: int, line: bytes) -> str | None:
    """Append a line to a file in one write; returns why that was not possible.

    What a full disk has left of it is taken away again.
    """
    try:
        written = os.write(fd, line)
    except OSError as error:
        return why_not_written(error)
    if written == len(line):
        return None
    with suppress(OSError):
        os.ftruncate(fd, os.fstat(fd).st_size - written)
    return "the disk is full"
