"""A build command: run in its checkout with a time limit, and nothing of it left behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from harness.report.safe_text import printable_lines
from harness.versions.git import environment_without_git

# Whoever ends the harness, and be it kill -9, ends the build: a watcher beside it waits for the
# end of a pipe that only the harness holds, and then kills the whole group. It is an orphan, as
# a build may wait for all its children.
_WATCHED: Final = (
    "exec 3<&0 </dev/null; "
    "( (read -r _ <&3; kill -KILL 0) & ) >/dev/null 2>&1; "
    'exec 3<&-; exec /bin/sh -c "$1"'
)
_TAIL_BYTES: Final = 16 * 1024


class Build(NamedTuple):
    """How a build ended: ``failure`` says in words what is wrong, None when it succeeded."""

    failure: str | None
    seconds: float


def run_build(command: str, folder: Path, log: Path, limit_seconds: float) -> Build:
    """Run a shell command in a folder; all it writes goes to the file ``log``.

    Its input is empty. When it ends, fails, takes longer than ``limit_seconds`` or the harness
    ends, every process of its group is killed. Raises OSError.
    """
    begun_ns = time.monotonic_ns()
    death_fd, held_fd = os.pipe()
    try:
        with log.open("wb") as output:
            process = subprocess.Popen(
                ["/bin/sh", "-c", _WATCHED, "build", command],
                stdin=death_fd,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=environment_without_git(os.environ),
                process_group=0,
            )
        try:
            has_ended = _wait(process.pid, limit_seconds)
        finally:
            # Not reaped yet, so the number of the group is still its own.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
    finally:
        os.close(death_fd)
        os.close(held_fd)
    seconds = (time.monotonic_ns() - begun_ns) / 1e9
    return Build(_failure(code) if has_ended else f"not done in {limit_seconds:g} s", seconds)


def last_lines(log: Path, count: int) -> Sequence[str]:
    """Return the last lines of a log, fit for a terminal; of a long one its end is read only."""
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL_BYTES))
        text = file.read(_TAIL_BYTES).decode("utf-8", "replace")
    lines = printable_lines(text)
    return lines[-count:]


def _wait(process_id: int, limit_seconds: float) -> bool:
    """Wait for a process to end without reaping it; False when the time is over."""
    process_fd = os.pidfd_open(process_id)
    try:
        poll = select.poll()
        poll.register(process_fd, select.POLLIN)
        return bool(poll.poll(limit_seconds * 1000))
    finally:
        os.close(process_fd)


def _failure(code: int) -> str | None:
    if code < 0:
        try:
            return f"ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"ended by signal {-code}"
    return f"exit code {code}" if code else None
