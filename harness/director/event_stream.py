"""``--events``: where the JSON lines of a run go. It never stops the run."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from harness.director.event_lines import end_line, event_line
from harness.director.events import RunEnded, RunEvent
from harness.director.line_sink import LineSink
from harness.errors import InputError

STDOUT: Final = "-"
_STDOUT_FD: Final = 1
_LAST_WAIT_SECONDS: Final = 2.0


class EventStream:
    """An observer that writes each event as a line to a file, a named pipe or standard output.

    A file is appended to. Nothing is written before ``open``. When the lines cannot be written
    any more, ``tell`` is called once and the rest is dropped.
    """

    def __init__(self, target: str) -> None:
        """Check the target as far as that is possible without opening it; InputError."""
        self.target = target
        self.tell: Callable[[str], None] = _say_nothing
        self._sink: LineSink | None = None
        self._fd: int | None = None
        self._has_told = False
        if not self.is_stdout:
            _check(Path(target))

    @property
    def is_stdout(self) -> bool:
        """Whether the lines go to standard output."""
        return self.target == STDOUT

    def open(self) -> None:
        """Open the target; InputError when that is not possible. Safe to call twice."""
        if self._sink is not None:
            return
        if self.is_stdout:
            self._sink = LineSink(_STDOUT_FD)
            return
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY
        try:
            # O_NONBLOCK: neither the opening of a pipe nor a full one may hold the run up.
            self._fd = os.open(self.target, flags | os.O_NONBLOCK, 0o644)
        except OSError as error:
            raise InputError(_cannot(self.target, error)) from error
        self._sink = LineSink(self._fd)
        if stat.S_ISREG(os.fstat(self._fd).st_mode) and not _ends_with_newline(Path(self.target)):
            self._sink.write(b"\n")  # a line that a crash of the machine has torn stays apart

    def notice(self, event: RunEvent) -> None:
        """Write the line of an event."""
        line = event_line(event)
        if line is not None:
            self._write(line)

    def tick(self) -> None:
        """Go on with what a slow reader has left."""
        if self._sink is not None:
            self._sink.flush()
            self._tell_of_failure()

    def end(self, ended: RunEnded | None, exit_code: int, message: str = "") -> None:
        """Write the last line, and give the reader two seconds to take what is left."""
        if self._sink is None:
            return
        self._write(end_line(ended, exit_code, message))
        self._sink.flush(_LAST_WAIT_SECONDS)
        self._tell_of_failure()
        self._sink = None
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _write(self, line: bytes) -> None:
        if self._sink is not None:
            self._sink.write(line)
            self._tell_of_failure()

    def _tell_of_failure(self) -> None:
        if self._sink is not None and self._sink.failure is not None and not self._has_told:
            self._has_told = True
            self.tell(f"--events {self.target}: further events are lost: {self._sink.failure}")


def _say_nothing(text: str) -> None:
    """Drop a text that nobody asked for."""


def _check(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"--events {path}: it is a folder; name a file, or - for stdout")
    if not path.parent.is_dir():
        raise InputError(f"--events {path}: there is no folder {path.parent}")
    if path.is_file() and _byte(path, 0, os.SEEK_SET) not in (b"", b"{"):
        raise InputError(
            f"--events {path}: it holds something else than events, which are appended to a "
            "file; name another"
        )


def _cannot(target: str, error: OSError) -> str:
    path = Path(target)
    if path.is_fifo():
        return f"--events {target}: nobody reads this pipe; start its reader first"
    return f"--events {target}: it cannot be written ({error.strerror or error})"


def _ends_with_newline(path: Path) -> bool:
    return _byte(path, -1, os.SEEK_END) in (b"", b"\n")


def _byte(path: Path, offset: int, whence: int) -> bytes:
    """Return a byte of a file; nothing when there is none, or it may not be read."""
    try:
        with path.open("rb") as file:
            file.seek(offset, whence)
            return file.read(1)
    except OSError:
        return b""
