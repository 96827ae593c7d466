"""The file of a run's log: whole lines or none, and never a word about its own failures."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path

from harness.director.whole_line import append_whole
from harness.director.write_errors import why_not_written
from harness.errors import StoreError
from harness.visible_text import with_hidden_escaped


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
            text = "\n".join(with_hidden_escaped(line) for line in self.format(record).split("\n"))
        except Exception as error:
            self.trouble = f"a record cannot be written as text ({type(error).__name__})"
            return
        line = f"{text}\n".encode("utf-8", "backslashreplace")
        with self._writing:
            if not self._is_closed:
                self.trouble = append_whole(self._fd, line) or self.trouble

    def close(self) -> None:
        """Close the file; safe to call twice."""
        with self._writing:
            if not self._is_closed:
                self._is_closed = True
                os.close(self._fd)
        super().close()
