"""Running a command: wall and CPU time, peak memory, output, what its bots counted."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.tally import Tally, new_tally, read_tally

LIMIT_SECONDS: Final = 300.0
_SHOWN_CHARACTERS: Final = 2000

LOA: Final = (sys.executable, "-P", "-m", "harness")
"""The command ``loa`` of the Python that runs the benchmark."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a command; times of the monotonic clock, memory of its largest process."""

    begun_ns: int
    ended_ns: int
    cpu_seconds: float
    peak_mb: float
    exit_code: int
    output: str
    tally: Tally

    @property
    def seconds(self) -> float:
        return (self.ended_ns - self.begun_ns) / 1e9

    @property
    def playing_seconds(self) -> float:
        """From the first request that a bot read to the last answer of a bot."""
        return (self.tally.last_answer_ns - self.tally.first_request_ns) / 1e9

    @property
    def start_seconds(self) -> float:
        """From the command to the first request that a bot read."""
        return (self.tally.first_request_ns - self.begun_ns) / 1e9

    @property
    def end_seconds(self) -> float:
        """From the last answer of a bot to the end of the command."""
        return (self.ended_ns - self.tally.last_answer_ns) / 1e9


class Started:
    """A command under way in a session of its own; it is over after ``wait``."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start it in this folder; all it writes goes to the file ``output`` there."""
        self.command = tuple(command)
        self.output = folder / "output"
        self.tally = new_tally(folder)
        # Bytecode is written as on a person's machine, whatever this shell says.
        variables = {
            key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
        }
        variables |= {"BOT_TALLY": str(self.tally), **(environment or {})}
        with self.output.open("wb") as output:
            self.begun_ns = time.monotonic_ns()
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=variables,
                start_new_session=True,
            )

    def stop(self) -> None:
        """Ask it to end, as Ctrl-C does."""
        os.kill(self.process.pid, signal.SIGINT)

    def wait(self, exit_codes: Collection[int] = (0,), limit_seconds: float = LIMIT_SECONDS) -> Ran:
        """Wait for its end; raises SystemExit when it ends otherwise than it should."""
        is_late = not self._has_ended(limit_seconds)
        if is_late:
            os.killpg(self.process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(self.process.pid, 0)
        ended_ns = time.monotonic_ns()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        ran = Ran(
            self.begun_ns,
            ended_ns,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss * 1024 / 1e6,
            self.process.returncode,
            self.output.read_text(encoding="utf-8", errors="replace"),
            read_tally(self.tally),
        )
        if is_late or ran.exit_code not in exit_codes:
            how = f"not within {limit_seconds:g} s" if is_late else f"with {ran.exit_code}"
            raise SystemExit(
                f"{' '.join(self.command)}\nended {how}:\n{ran.output[-_SHOWN_CHARACTERS:]}"
            )
        return ran

    def _has_ended(self, limit_seconds: float) -> bool:
        watch = os.pidfd_open(self.process.pid)
        try:
            return bool(select.select([watch], [], [], limit_seconds)[0])
        finally:
            os.close(watch)


def run(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    exit_codes: Collection[int] = (0,),
) -> Ran:
    """Run a command to its end in this folder."""
    return Started(command, folder, environment).wait(exit_codes)


@contextmanager
def kept_to(cores: Collection[int]) -> Iterator[None]:
    """Keep this process, and with it every command that it starts, to these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
