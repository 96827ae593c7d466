"""The signals that end a run or a command, and the exit codes that say so."""

from __future__ import annotations

import signal
from typing import Final

ENDING_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_SIGNAL_BASE: Final = 128


def exit_code_of_signal(number: int) -> int:
    """Return the exit code of a program that a signal ended, as shells have it."""
    return _SIGNAL_BASE + number


def says_signal(exit_code: int) -> bool:
    """Whether an exit code is that of a program that a signal ended."""
    return exit_code > _SIGNAL_BASE
