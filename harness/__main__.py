"""``python -m harness`` and ``loa``: the command line, and what a signal does until it is there."""

from __future__ import annotations

import os
import signal
from types import FrameType

from harness.ending_signals import ENDING_SIGNALS, exit_code_of_signal


def main() -> None:
    """Run the command line and exit.

    Until a command says otherwise, SIGINT, SIGTERM and SIGHUP end the process with 128 and their
    number: while modules are imported nothing has been made that is to be put away.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored children leave no exit status
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    from harness.cli.main import main as run_command_line

    run_command_line()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(exit_code_of_signal(number))


if __name__ == "__main__":
    main()
