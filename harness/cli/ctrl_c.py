"""Ctrl-C as an exception, where an exception can be trusted to come out."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from harness.ending_signals import exit_code_of_signal

EXIT_CODE: Final = exit_code_of_signal(signal.SIGINT)
_IMPORT: Final = "<frozen importlib._bootstrap>"


@contextmanager
def ctrl_c_raises() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt inside, so that what was begun is put away.

    While a module is imported, where an exception may be swallowed and nothing is to be put
    away, and at the second time, the process ends at once. Outside the main thread, and where
    Ctrl-C is ignored, nothing changes.
    """
    has_come = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal has_come
        if has_come or _is_importing(frame):
            os._exit(EXIT_CODE)
        has_come = True
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        yield
        return
    try:
        signal.signal(signal.SIGINT, handle)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORT:
            return True
        frame = frame.f_back
    return False
