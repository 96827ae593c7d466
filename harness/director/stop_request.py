"""``loa stop`` seen from both sides: a file that one process writes and the run looks for.

It names the run by the token in its lock, so that a request never stops a later run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.director.write_errors import why_not_written
from harness.errors import StoreError

STOP_FILE: Final = "run.stop"
_LOOK_SECONDS: Final = 0.2
_MAX_TOKEN_BYTES: Final = 100


class StopRequest:
    """Whether somebody asked the run of this token to stop. Looks every 0.2 s at most."""

    def __init__(
        self, folder: Path, token: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = folder / STOP_FILE
        self._token = token.encode()
        self._clock = clock
        self._looked = -_LOOK_SECONDS
        self._is_made = False

    @property
    def is_made(self) -> bool:
        """Whether a request was found; it stays one."""
        now = self._clock()
        if not self._is_made and now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            self._is_made = self._token == _read(self._path)
        return self._is_made


def ask_to_stop(folder: Path, token: str) -> None:
    """Leave a request for the run of this token in the folder of its lock. StoreError."""
    path = folder / STOP_FILE
    draft = folder / f".{STOP_FILE}.{os.getpid()}"
    try:
        try:
            draft.write_bytes(token.encode())
            draft.replace(path)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise
    except OSError as error:
        raise StoreError(str(path), why_not_written(error)) from error


def remove_request(folder: Path) -> None:
    """Remove a request, whoever it was for."""
    with suppress(OSError):
        (folder / STOP_FILE).unlink()


def _read(path: Path) -> bytes:
    try:
        # Not to be held up by what is no file.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, _MAX_TOKEN_BYTES).strip()
    except OSError:
        return b""
    finally:
        os.close(fd)
