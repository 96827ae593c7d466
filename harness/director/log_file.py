"""The file of a run's log: whole lines or none, and never a word about its own failures."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from pathlib import Path

from harness.director.write_errors import why_not_written
from harness.errors import StoreError


class LogFile(logging.Handler):
    """Appends each record as one write, from any thread.

    What steers a terminal is written as an escape. When the disk refuses, ``trouble`` says why
    and the record is dropped; the next one is tried again. Raises StoreError when the file
    cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.trouble: str | None = None
        try:
            self._fd = os.open(
                path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o644
            )
        except OSError as error:
            raise StoreError(str(path), why_not_written(error)) from error
        self._is_closed = False
        self._writing = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record; lines after its first one stay lines of their own."""
        try:
            text = "\n".join(_escaped(line) for line in self.format(record).split("\n"))
        except Exception as error:
            self.trouble = f"a record cannot be written as text ({type(error).__name__})"
            return
        line = f"{text}\n".encode("utf-8", "backslashreplace")
        with self._writing:
            if not self._is_closed:
                self._write(line)

    def _write(self, line: bytes) -> None:
        try:
            written = os.write(self._fd, line)
            if written < len(line):
                with suppress(OSError):
                    os.ftruncate(self._fd, os.fstat(self._fd).st_size - written)
                self.trouble = "the disk is full"
        except OSError as error:
            self.trouble = why_not_written(error)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        with self._writing:
            if not self._is_closed:
                self._is_closed = True
                os.close(self._fd)
        super().close()


def _escaped(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in line
    )
