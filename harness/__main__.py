"""``python -m harness`` and ``loa``: the command line, and what a signal does until it is there."""

from __future__ import annotations

import os
import signal
from types import FrameType


def main() -> None:
    """Run the command line and exit.

    Until a command says otherwise, SIGINT, SIGTERM and SIGHUP end the process with 128 and their
    number: while modules are imported nothing has been made that is to be put away.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    from harness.cli.main import main as run_command_line

    run_command_line()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


if __name__ == "__main__":
    main()
