"""What programs see of a run: its events, and its results where somebody reads them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout

from harness.cli.ctrl_c import EXIT_CODE
from harness.director.event_stream import EventStream
from harness.director.events import RunEnded
from harness.errors import HarnessError


class Following:
    """The events of one run, if they were asked for; sees that the last line is written."""

    def __init__(self, target: str | None) -> None:
        """Take what ``--events`` says; InputError when it cannot be written to."""
        self.stream = None if target is None else EventStream(target)

    @contextmanager
    def until_the_end(self) -> Iterator[None]:
        """Tell what ends the run when an error leaves the block."""
        try:
            yield
        except BaseException as error:
            if self.stream is not None:
                self.stream.end(None, _exit_code(error), str(error))
            raise

    def end(self, ended: RunEnded, exit_code: int) -> int:
        """Tell how the run ended; returns the exit code."""
        if self.stream is not None:
            self.stream.end(ended, exit_code)
        return exit_code

    @property
    def takes_stdout(self) -> bool:
        """Whether standard output belongs to the events."""
        return self.stream is not None and self.stream.is_stdout

    @contextmanager
    def results(self) -> Iterator[None]:
        """Print results inside: on stderr where stdout belongs to the events.

        That nobody reads them any more ends the block and nothing else.
        """
        try:
            with redirect_stdout(sys.stderr) if self.takes_stdout else nullcontext():
                yield
        except BrokenPipeError:
            number = 2 if self.takes_stdout else 1
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def _exit_code(error: BaseException) -> int:
    match error:
        case HarnessError():
            return error.exit_code
        case KeyboardInterrupt():
            return EXIT_CODE
        case _:
            return 1
