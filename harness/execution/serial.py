"""One game at a time in the harness's own process: for debugging, tests and profilers."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress

from harness.execution.base import ExecutionEvent, Finished, Lost
from harness.execution.worker import LOGGER_NAME
from harness.process.jobs import Job, SessionEvent, Started, Voided
from harness.process.pipes import AttemptLost, Trace, Withdrawn
from harness.process.session import Session


class SerialExecutor:
    """Plays the offered jobs when it is asked for events.

    ``control_fd`` becomes readable when the run is interrupted: the running game is dropped.
    Must be used from the main thread, from which bots are started.
    """

    def __init__(self, control_fd: int | None = None, trace: Trace | None = None) -> None:
        self._session = Session(0, control_fd, trace)
        self._waiting: deque[Job] = deque()
        self._running: Iterator[SessionEvent] | None = None
        self._job: Job | None = None
        self._is_draining = False
        self._may_stop = True

    @property
    def slots(self) -> int:
        """One."""
        return 1

    @property
    def room(self) -> int:
        """One job runs, one waits; none while it is drained."""
        if self._is_draining:
            return 0
        return 2 - len(self._waiting) - (self._running is not None)

    def offer(self, job: Job) -> None:
        """Queue a job."""
        self._waiting.append(job)

    def next_events(self, timeout_seconds: float) -> Sequence[ExecutionEvent]:
        """Play until the next event; the bots' own deadlines bound the wait."""
        if self._is_draining and self._may_stop:
            self._running = None
            done = [Finished(job) for job in (self._job, *self._waiting) if job is not None]
            self._job = None
            self._waiting.clear()
            return done
        if self._running is None:
            if not self._waiting:
                return ()
            self._job = self._waiting.popleft()
            self._running = self._session.run(self._job)
        try:
            event = next(self._running)
        except StopIteration:
            self._may_stop = True
            job = self._job
            self._running = self._job = None
            assert job is not None
            return (Finished(job),)
        except Withdrawn:
            self.withdraw()
            return ()
        except AttemptLost as lost:
            return (self._lose(str(lost)),)
        except Exception as error:
            # Our fault, whatever it is: the job has no result, the run goes on.
            logging.getLogger(LOGGER_NAME).exception("a job failed")
            return (self._lose(f"{type(error).__name__}: {error}"),)
        # Between two events of one game nothing can be stopped.
        self._may_stop = not isinstance(event, Started | Voided)
        return (event,)

    def _lose(self, why: str) -> Lost:
        job = self._job
        self._running = self._job = None
        self._may_stop = True
        self._session.kill()
        assert job is not None
        return Lost(job, why)

    def drain(self) -> None:
        """Begin no further game."""
        self._is_draining = True

    def withdraw(self) -> None:
        """Drop everything."""
        self._waiting.clear()
        self._running = self._job = None
        self._session.kill()

    def close(self) -> None:
        """Let the bots go."""
        with suppress(Withdrawn):
            self._session.close()
