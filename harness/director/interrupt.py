"""Signals that end a run, as a readable descriptor and a value instead of an exception."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupt:
    """Catches SIGINT, SIGTERM and SIGHUP while it is entered.

    ``fd`` becomes readable at the first one, so that every wait can end. A second one ends the
    process at once.
    """

    def __init__(self) -> None:
        self.fd, self._write_fd = os.pipe()
        os.set_blocking(self._write_fd, False)
        self.received: int | None = None
        self._before: dict[int, object] = {}

    def __enter__(self) -> Interrupt:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        os.close(self.fd)
        os.close(self._write_fd)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None:
            os._exit(128 + number)  # workers and bots die with this process
        self.received = number
        with suppress(OSError):
            os.write(self._write_fd, b"!")
