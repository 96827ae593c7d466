"""Reading what a person wrote: UTF-8 with or without a byte order mark, of bounded size."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from harness.errors import Problem, SpecError

MAX_BYTES: Final = 16 * 1024 * 1024

_CHUNK_BYTES: Final = 1024 * 1024


def read_text_file(
    path: Path, other_encoding: str | None = None, max_bytes: int = MAX_BYTES
) -> str:
    """Return the text of a file with a line feed after each line.

    SpecError when it cannot be read at once, is no regular file, is not UTF-8 or has more than
    ``max_bytes`` (whole MiB). What is not UTF-8 is read in ``other_encoding``, one that knows
    every byte, where it is given.
    """
    try:
        data = _read(path, max_bytes)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise _refused(path, f"cannot be read: {why or error}") from error
    if len(data) > max_bytes:
        raise _refused(path, f"has more than {max_bytes // 1024 // 1024} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if other_encoding is not None:
            return data.decode(other_encoding).replace("\r\n", "\n")
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError(str(path), [Problem(f"line {line}", "is not UTF-8 text")]) from error
    return text.replace("\r\n", "\n")


def _read(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a file, at most one more than ``max_bytes``.

    Nothing is waited for: a pipe without a writer, a terminal or the kernel's log never ends.
    """
    _check_kind(path, path.stat())  # first: opening some devices has effects
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        _check_kind(path, os.fstat(fd))
        chunks: list[bytes] = []
        left = max_bytes + 1
        while left and (chunk := os.read(fd, min(left, _CHUNK_BYTES))):
            chunks.append(chunk)
            left -= len(chunk)
        return b"".join(chunks)
    finally:
        os.close(fd)


def _check_kind(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "is a folder" if stat.S_ISDIR(status.st_mode) else "is no regular file"
        raise _refused(path, kind)


def is_folder(path: Path) -> bool:
    """Whether there is such a folder; a path too long or out of reach is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _refused(path: Path, why: str) -> SpecError:
    return SpecError(str(path), [Problem("", why)])
