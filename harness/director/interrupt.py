"""Signals that end a run, as a readable descriptor and a value instead of an exception."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType

from harness.ending_signals import ENDING_SIGNALS, exit_code_of_signal


class Interrupt:
    """Catches SIGINT, SIGTERM and SIGHUP while it is entered.

    ``fd``, -1 before, becomes readable at the first one, so that every wait can end. A second one
    ends the process at once, after ``before_leaving``, which runs in the signal handler: it must
    not wait, and what it raises is dropped. A signal that whoever started the process chose to
    ignore (``nohup``) stays ignored.
    """

    def __init__(self) -> None:
        self.fd = self._write_fd = -1
        self.received: int | None = None
        self.before_leaving: Callable[[], None] | None = None
        self._before: dict[int, object] = {}

    def __enter__(self) -> Interrupt:
        self.fd, self._write_fd = os.pipe()
        os.set_blocking(self._write_fd, False)
        for number in ENDING_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
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
        self._before.clear()
        os.close(self.fd)
        os.close(self._write_fd)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None:
            act, self.before_leaving = self.before_leaving, None
            if act is not None:
                with suppress(Exception):
                    act()
            os._exit(exit_code_of_signal(number))
        self.received = number
        with suppress(OSError):
            os.write(self._write_fd, b"!")
