"""The process of one slot: takes jobs from a pipe, sends events back, dies with the harness."""

from __future__ import annotations

import ctypes
import logging
import logging.handlers
import multiprocessing
import os
import signal
import sys
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from harness.process.jobs import Job
from harness.process.pipes import Withdrawn
from harness.process.session import Session

LOGGER_NAME: Final = "harness"
_PR_SET_PDEATHSIG: Final = 1
_MAX_LOG_BYTES: Final = 3_500  # a larger record can tear the log queue when a worker is killed


@dataclass(frozen=True, slots=True)
class JobDone:
    """The worker is free again."""


@dataclass(frozen=True, slots=True)
class JobBroken:
    """The harness failed in this job: its unfinished games have no result."""

    why: str


def run_worker(
    slot: int,
    jobs: Connection[Any, Any],
    control: Connection[Any, Any],
    log_queue: multiprocessing.Queue[Any] | None,
    harness_pid: int,
) -> None:
    """Serve one slot until the harness closes the pipe, wants the slot back, or is gone."""
    _die_with(harness_pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if log_queue is not None:
        _log_to(log_queue)
    log = logging.getLogger(LOGGER_NAME)
    log.info("slot %d begins, process %d", slot, os.getpid())
    session = Session(slot, control.fileno())
    try:
        while True:
            try:
                if control in wait([jobs, control]):
                    raise Withdrawn
                job: Job = jobs.recv()
            except (EOFError, OSError):
                session.close()
                log.info("slot %d ends", slot)
                return
            _serve(session, jobs, job, slot)
    except (Withdrawn, BrokenPipeError):
        session.kill()


def _serve(session: Session, jobs: Connection[Any, Any], job: Job, slot: int) -> None:
    try:
        for event in session.run(job):
            jobs.send(event)
    except (Withdrawn, BrokenPipeError):
        raise
    except Exception as error:
        # Whatever fails here is a fault of the harness: the game is void, the slot goes on.
        logging.getLogger(LOGGER_NAME).exception("slot %d: a job failed", slot)
        session.kill()
        frame = traceback.extract_tb(error.__traceback__)[-1]
        jobs.send(JobBroken(f"{type(error).__name__}: {error} ({frame.name}:{frame.lineno})"))
    else:
        jobs.send(JobDone())


def _die_with(harness_pid: int) -> None:
    """Have the kernel kill this process when the harness is gone, even by SIGKILL."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != harness_pid:
        os._exit(1)  # it was gone before the signal was set


def _log_to(queue: multiprocessing.Queue[Any]) -> None:
    root = logging.getLogger()
    root.handlers[:] = [_BoundedQueueHandler(queue)]
    root.setLevel(logging.INFO)


class _BoundedQueueHandler(logging.handlers.QueueHandler):
    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        prepared: logging.LogRecord = super().prepare(record)
        text = prepared.msg.encode("utf-8", "replace")
        if len(text) > _MAX_LOG_BYTES:
            prepared.msg = text[:_MAX_LOG_BYTES].decode("utf-8", "ignore") + " [cut]"
            prepared.message = prepared.msg
        return prepared
