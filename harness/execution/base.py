"""Where games are played: the one interface of every executor, and what it reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.process.jobs import Job, SessionEvent


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker died or failed; the games of the job that have no result are to be offered again."""

    job: Job
    why: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A slot is done with a job; while it is drained, games of the job may be without a result."""

    job: Job


ExecutionEvent = SessionEvent | Lost | Finished


class Executor(Protocol):
    """Offer jobs, take events, drain, withdraw, close.

    Every offered job ends with exactly one ``Finished`` or ``Lost``, unless it is withdrawn.
    """

    @property
    def slots(self) -> int:
        """How many games are played at the same time."""
        ...

    @property
    def room(self) -> int:
        """How many more jobs can be offered now; a slot holds one game ahead."""
        ...

    def offer(self, job: Job) -> None:
        """Hand over one job; it is begun when a slot is free."""
        ...

    def next_events(self, timeout_seconds: float) -> Sequence[ExecutionEvent]:
        """Return what happened since the last call; waits at most so long for something."""
        ...

    def drain(self) -> None:
        """Begin no further game; games that run are finished, then every job ends."""
        ...

    def withdraw(self) -> None:
        """Drop all jobs at once, running games included; no events follow for them."""
        ...

    def close(self) -> None:
        """Let the bots go and end every process; safe to call twice."""
        ...
