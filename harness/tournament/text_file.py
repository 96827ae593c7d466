"""Reading what a person wrote: UTF-8 with or without a byte order mark, of bounded size."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from harness.errors import Problem, SpecError

_MAX_BYTES: Final = 16 * 1024 * 1024


def read_text_file(path: Path, other_encoding: str | None = None) -> str:
    """Return the text of a file with a line feed after each line.

    SpecError when it cannot be read, is no file, is not UTF-8 or has more than 16 MiB. What is
    not UTF-8 is read in ``other_encoding``, one that knows every byte, where it is given.
    """
    try:
        if path.exists() and not path.is_file():
            raise _refused(path, "is a folder" if path.is_dir() else "is no regular file")
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise _refused(path, f"cannot be read: {why or error}") from error
    if len(data) > _MAX_BYTES:
        raise _refused(path, f"has more than {_MAX_BYTES // 1024 // 1024} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if other_encoding is not None:
            return data.decode(other_encoding).replace("\r\n", "\n")
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError(str(path), [Problem(f"line {line}", "is not UTF-8 text")]) from error
    return text.replace("\r\n", "\n")


def _refused(path: Path, why: str) -> SpecError:
    return SpecError(str(path), [Problem("", why)])
