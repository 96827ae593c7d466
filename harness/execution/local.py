"""Games side by side on this machine: one spawned process and two pipes a slot."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Final

from harness.ending_signals import ENDING_SIGNALS
from harness.errors import WorkerError
from harness.execution.base import ExecutionEvent, Finished, Lost
from harness.execution.job_parcel import JobPacker
from harness.execution.parcel import send, unpack
from harness.execution.safe_start import import_path_setting, safe_import_path
from harness.execution.waker import Waker
from harness.execution.worker import Drain, JobBroken, JobDone, run_worker
from harness.process.containment import Containment
from harness.process.jobs import GreetJob, Job
from harness.process.process_tree import children_of, is_first_of_namespace, is_stopped

_WITHDRAW_WAIT_SECONDS: Final = 0.5
_CLOSE_WAIT_SECONDS: Final = 5.0
_EXIT_STATUS_WAIT_SECONDS: Final = 1.0
_MAX_IDLE_DEATHS: Final = 3
_STOPPED_SECONDS: Final = 5.0
"""So often it is looked for workers that are stopped; the second time they are woken."""


class _Slot:
    """One worker process and the jobs it has: the first runs, the second waits."""

    def __init__(
        self,
        number: int,
        log_queue: multiprocessing.Queue[Any] | None,
        levels: tuple[Containment, ...],
        processors: tuple[int, ...],
    ) -> None:
        self.number = number
        self.jobs: deque[Job] = deque()
        self.idle_deaths = 0
        self._log_queue = log_queue
        self._levels = levels
        self._processors = processors
        self._packer: JobPacker
        self.pipe: Connection[Any, Any]
        self._control: Connection[Any, Any]
        self.process: SpawnProcess
        self._running: int | None = None
        self._stopped: set[int] = set()
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._packer = JobPacker()  # a new worker knows nothing yet
        self.pipe, worker_pipe = context.Pipe()
        worker_control, self._control = context.Pipe(duplex=False)
        self.process = context.Process(
            target=run_worker,
            args=(
                self.number,
                worker_pipe,
                worker_control,
                self._log_queue,
                os.getpid(),
                self._levels,
                self._processors,
                import_path_setting(),
            ),
            name=f"slot-{self.number}",
            daemon=True,
        )
        # One of them must not find the worker without its handlers.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
        try:
            with safe_import_path():
                self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._running = self.process.pid
        worker_pipe.close()
        worker_control.close()

    def offer(self, job: Job) -> None:
        self.jobs.append(job)
        with suppress(BrokenPipeError, ConnectionResetError):
            send(self.pipe, self._packer.pack(job))  # a dead worker shows by its sentinel

    def drain(self) -> None:
        """Tell the worker to begin no further game."""
        with suppress(BrokenPipeError, ConnectionResetError):
            send(self.pipe, Drain())

    def call_back(self) -> None:
        """Tell the worker to drop its game and end."""
        self._control.close()

    def release(self) -> None:
        """Tell the worker that no job follows."""
        self.pipe.close()

    def join_until(self, deadline: float) -> None:
        """Wait for the worker; kill it when it is late."""
        self._running = None
        self.process.join(max(0.0, deadline - time.monotonic()))
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()
        for pipe in (self.pipe, self._control):
            with suppress(OSError):
                pipe.close()

    def go_on(self) -> None:
        """Wake a worker that was stopped the last time too: its game is lost, not its slot.

        Called from another thread.
        """
        worker = self._running
        if worker is None:
            return
        # In a PID namespace the games are played by a child of the process that was started. At
        # the other levels its children are bots, which may be stopped between their turns.
        stopped = {
            process
            for process in (worker, *children_of(worker))
            if is_stopped(process) and (process == worker or is_first_of_namespace(process))
        }
        for process in stopped & self._stopped:
            with suppress(OSError):
                os.kill(process, signal.SIGCONT)
        self._stopped = stopped

    def restart(self) -> None:
        self.call_back()
        self.release()
        self.join_until(time.monotonic())
        self.jobs.clear()
        self.start()


class LocalExecutor:
    """Plays on ``slots`` worker processes; a worker that dies costs the job that it had.

    ``wake_fd`` ends a wait for events early when it becomes readable. ``log_queue`` is handed
    to the workers, which enter the first of the ``levels`` that the machine allows.
    ``processors`` has those of each slot, for its worker and its bots together; empty: the system
    chooses. Workers are started by "spawn", whatever the default is.
    """

    def __init__(
        self,
        slots: int,
        wake_fd: int | None = None,
        log_queue: multiprocessing.Queue[Any] | None = None,
        levels: Iterable[Containment] = Containment,
        processors: Sequence[Collection[int]] = (),
    ) -> None:
        self._wake_fd = wake_fd
        self._slots = [
            _Slot(number, log_queue, tuple(levels), tuple(processors[number]) if processors else ())
            for number in range(slots)
        ]
        self._poll = select.poll()
        self._slot_of: dict[int, _Slot] = {}
        for slot in self._slots:
            self._watch(slot)
        if wake_fd is not None:
            self._poll.register(wake_fd, select.POLLIN)
        self._is_closed = False
        self._is_draining = False
        self._goodbye_seconds = 0.0
        self._failure: WorkerError | None = None
        # Not from here: a worker stopped in the middle of a message holds up who reads it.
        self._waker = Waker(self._wake, _STOPPED_SECONDS)

    @property
    def slots(self) -> int:
        """The number of worker processes."""
        return len(self._slots)

    @property
    def room(self) -> int:
        """Two jobs a slot: one runs, one waits; none while it is drained."""
        if self._is_draining:
            return 0
        return sum(2 - len(slot.jobs) for slot in self._slots)

    def offer(self, job: Job) -> None:
        """Give the job to the slot that has least to do."""
        bots = (job.bot,) if isinstance(job, GreetJob) else job.bots
        goodbye_ms = max(bot.limits.goodbye_ms for bot in bots)
        self._goodbye_seconds = max(self._goodbye_seconds, goodbye_ms / 1000)
        min(self._slots, key=lambda slot: len(slot.jobs)).offer(job)

    def next_events(self, timeout_seconds: float) -> Sequence[ExecutionEvent]:
        """Return what the workers reported; a dead worker is replaced and its job is Lost.

        Raises WorkerError when a worker keeps dying.
        """
        if self._failure is not None:
            raise self._failure
        events: list[ExecutionEvent] = []
        ready = {fd for fd, _ in self._poll.poll(timeout_seconds * 1000)}
        # In a fixed order, and each once: of a worker that died both descriptors are ready.
        for slot in dict.fromkeys(self._slot_of[fd] for fd in sorted(ready) if fd != self._wake_fd):
            if slot.process.sentinel in ready:
                while slot.pipe.poll() and self._receive(slot, events):
                    pass
                self._replace(slot, events)
            else:
                self._receive(slot, events)
        return events

    def _wake(self) -> None:
        for slot in self._slots:
            slot.go_on()

    def _receive(self, slot: _Slot, events: list[ExecutionEvent]) -> bool:
        """Take what the worker sent at once; False when it is gone: its sentinel says so."""
        try:
            messages = slot.pipe.recv()
        except (EOFError, OSError):
            return False
        slot.idle_deaths = 0
        for message in messages:
            match message:
                case JobDone():
                    events.append(Finished(slot.jobs.popleft()))
                case JobBroken(why=why):
                    events.append(Lost(slot.jobs.popleft(), why))
                case _:
                    events.append(unpack(message, slot.jobs[0]))
        return True

    def _watch(self, slot: _Slot) -> None:
        for fd in (slot.pipe.fileno(), slot.process.sentinel):
            self._poll.register(fd, select.POLLIN)
            self._slot_of[fd] = slot

    def _replace(self, slot: _Slot, events: list[ExecutionEvent]) -> None:
        # The sentinel is ready when the descriptors are closed, a little before the exit status.
        slot.process.join(_EXIT_STATUS_WAIT_SECONDS)
        code = slot.process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with code {code}"
        why = f"the worker of slot {slot.number} ended {how}"
        slot.idle_deaths += 1
        waiting = list(slot.jobs)
        events.extend(Lost(job, why) for job in waiting)
        if slot.idle_deaths >= _MAX_IDLE_DEATHS:
            # Raised at the next call: what this one has found must not be lost.
            self._failure = WorkerError(
                slot.number, f"{why}, {_MAX_IDLE_DEATHS} times without a word"
            )
        for fd in (slot.pipe.fileno(), slot.process.sentinel):
            self._poll.unregister(fd)
            del self._slot_of[fd]
        slot.restart()
        self._watch(slot)

    def drain(self) -> None:
        """Let every worker finish the game that it plays, and begin none."""
        self._is_draining = True
        for slot in self._slots:
            slot.drain()

    def withdraw(self) -> None:
        """Drop everything within half a second."""
        self._end(_Slot.call_back, _WITHDRAW_WAIT_SECONDS)

    def close(self) -> None:
        """Let the workers and their bots go; at once when the wait is woken."""
        self._end(_Slot.release, self._goodbye_seconds + _CLOSE_WAIT_SECONDS)

    def _end(self, tell: Callable[[_Slot], None], wait_seconds: float) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._waker.close()
        for slot in self._slots:
            tell(slot)
        deadline = time.monotonic() + wait_seconds
        alive = {slot.process.sentinel for slot in self._slots}
        wake = [] if self._wake_fd is None or tell is _Slot.call_back else [self._wake_fd]
        while alive and (left := deadline - time.monotonic()) > 0:
            ready = wait([*alive, *wake], left)
            if self._wake_fd in ready:
                for slot in self._slots:
                    slot.call_back()
                wake = []
                deadline = time.monotonic() + _WITHDRAW_WAIT_SECONDS
            alive.difference_update(one for one in ready if isinstance(one, int))
        for slot in self._slots:
            is_late = slot.process.sentinel in alive
            slot.join_until(time.monotonic() + (0 if is_late else _EXIT_STATUS_WAIT_SECONDS))
