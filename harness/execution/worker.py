"""The process of one slot: takes jobs from a pipe, sends events back, dies with the harness."""

from __future__ import annotations

import logging
import logging.handlers
import multiprocessing
import os
import select
import signal
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from harness.ending_signals import ENDING_SIGNALS
from harness.execution.job_parcel import JobParcel, JobUnpacker
from harness.execution.parcel import Parcel, pack, send
from harness.execution.placement import stay_on
from harness.execution.safe_start import restore_import_path
from harness.process.containment import Containment, enter
from harness.process.jobs import Job, PairJob, Played, Started, Voided
from harness.process.pipes import AttemptLost, Withdrawn
from harness.process.session import Session
from harness.process.system_calls import (
    die_with_parent,
    join_new_keyring,
    keep_from_being_traced,
)

LOGGER_NAME: Final = "harness"
_LOOK_SECONDS: Final = 0.25
_MAX_LOG_BYTES: Final = 3_500  # a larger record can tear the log queue when a worker is killed


@dataclass(frozen=True, slots=True)
class Drain:
    """To the worker: begin no further game; the jobs that wait are done without one."""


@dataclass(frozen=True, slots=True)
class JobDone:
    """The worker is free again."""

    def __reduce__(self) -> tuple[type[JobDone], tuple[()]]:
        """Be nothing but its name: it comes with every job."""
        return JobDone, ()


@dataclass(frozen=True, slots=True)
class JobBroken:
    """The harness failed in this job: its unfinished games have no result."""

    why: str


_Message = Parcel | JobDone | JobBroken


class _Outbox:
    """What is to be told to the harness, in lists: to be woken costs it more than a message.

    A result is told with what follows it at once, the begin of a game or that there is none.
    """

    def __init__(self, pipe: Connection[Any, Any]) -> None:
        self._pipe = pipe
        self._unsent: list[_Message] = []

    def add(self, message: _Message) -> None:
        """Tell it with what is told next."""
        self._unsent.append(message)

    def send(self) -> None:
        """Tell what is still to be told."""
        if self._unsent:
            send(self._pipe, self._unsent)
            self._unsent = []


class _Inbox:
    """What the harness sends: jobs in order, and that no game is to be begun any more."""

    def __init__(self, jobs: Connection[Any, Any], control: Connection[Any, Any]) -> None:
        self._jobs = jobs
        self._control = control
        self._unpacker = JobUnpacker()
        self._waiting: deque[Job] = deque()
        self._arrival = select.poll()
        self._arrival.register(jobs.fileno(), select.POLLIN)
        self._arrival_or_recall = select.poll()
        for pipe in (jobs, control):
            self._arrival_or_recall.register(pipe.fileno(), select.POLLIN)
        self._is_closed = False
        self.is_draining = False

    def next_job(self, keep_house: Callable[[], None]) -> Job | None:
        """Wait for a job, keeping house meanwhile; None when none follows. Raises Withdrawn."""
        while not self._waiting and not self._is_closed:
            ready = {fd for fd, _ in self._arrival_or_recall.poll(_LOOK_SECONDS * 1000)}
            if self._control.fileno() in ready:
                raise Withdrawn
            if ready:
                self._receive()
            else:
                keep_house()
        return self._waiting.popleft() if self._waiting else None

    @property
    def begins_a_game(self) -> bool:
        """Whether the next job is there and begins with a game."""
        return bool(self._waiting) and isinstance(self._waiting[0], PairJob)

    def look(self) -> None:
        """Take what has come meanwhile."""
        while not self._is_closed and self._arrival.poll(0):
            self._receive()

    def _receive(self) -> None:
        try:
            message: JobParcel | Drain = self._jobs.recv()
        except (EOFError, OSError):
            self._is_closed = True
            return
        if isinstance(message, Drain):
            self.is_draining = True
        else:
            self._waiting.append(self._unpacker.unpack(message))


def run_worker(
    slot: int,
    jobs: Connection[Any, Any],
    control: Connection[Any, Any],
    log_queue: multiprocessing.Queue[Any] | None,
    harness_pid: int,
    levels: tuple[Containment, ...],
    processors: tuple[int, ...],
    import_path: str | None,
) -> None:
    """Serve one slot until the harness closes the pipe, wants the slot back, or is gone.

    Bots are put on the ``processors`` of their slot by being started from there.
    """
    _die_with(harness_pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
    process_id = os.getpid()
    restore_import_path(import_path)
    affinity = stay_on(processors)
    containment = enter(levels)
    with suppress(OSError):
        join_new_keyring()
    with suppress(OSError):
        keep_from_being_traced()
    if log_queue is not None:
        _log_to(log_queue)
    log = logging.getLogger(LOGGER_NAME)
    log.info("slot %d begins, process %d", slot, process_id)
    outbox = _Outbox(jobs)
    session = Session(slot, control.fileno(), containment=containment, affinity=affinity)
    inbox = _Inbox(jobs, control)
    try:
        while (job := inbox.next_job(session.look)) is not None:
            _serve(session, inbox, outbox, job, slot)
        session.close()
        log.info("slot %d ends", slot)
    except (Withdrawn, BrokenPipeError):
        session.kill()


def _serve(session: Session, inbox: _Inbox, outbox: _Outbox, job: Job, slot: int) -> None:
    """Do a job and tell what happens; its last words go with the begin of the next game."""
    is_between_games = True
    try:
        events = session.run(job)
        inbox.look()
        while not (is_between_games and inbox.is_draining):
            event = next(events, None)
            if event is None:
                break
            outbox.add(pack(event, job))
            is_between_games = not isinstance(event, Started | Voided)
            if isinstance(event, Played):
                inbox.look()
            else:
                outbox.send()
    except (Withdrawn, BrokenPipeError):
        raise
    except AttemptLost as lost:
        session.kill()
        outbox.add(JobBroken(str(lost)))
    except Exception as error:
        # Whatever fails here is a fault of the harness: the game is void, the slot goes on.
        logging.getLogger(LOGGER_NAME).exception("slot %d: a job failed", slot)
        session.kill()
        frame = traceback.extract_tb(error.__traceback__)[-1]
        why = f"{type(error).__name__}: {error} ({frame.name}:{frame.lineno})"
        outbox.add(JobBroken(why))
    else:
        outbox.add(JobDone())
    if not inbox.begins_a_game:
        outbox.send()


def _die_with(harness_pid: int) -> None:
    """Have the kernel kill this process when the harness is gone, even by SIGKILL."""
    with suppress(OSError):
        die_with_parent()
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
