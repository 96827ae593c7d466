"""A worker that is stopped while it tells of a game does not hold the run up."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from harness.execution import local
from harness.execution.base import Finished
from harness.execution.waker import Waker
from harness.process.jobs import Started
from tests.process.support import (
    Tag,
    faulty_bot,
    is_worker,
    local_executor,
    next_event,
    pair_job,
    processes_below,
    records_of,
    wait_for,
)

pytestmark = pytest.mark.process


def is_held_up(process: int) -> bool:
    """Whether it waits for room in a pipe."""
    return "alloc_send" in Path(f"/proc/{process}/wchan").read_text()


def test_a_worker_stopped_in_the_middle_of_a_message_is_woken(
    tag: Tag, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_STOPPED_SECONDS", 0.5)
    with local_executor() as executor:
        bots = faulty_bot("wordy", "many-infos", tag=tag), faulty_bot("good", "none", tag=tag)
        # Its record is far more than the pipe holds, and nobody reads.
        job = replace(pair_job(*bots, legs="a", control="move=20"), has_transcript=True)
        executor.offer(job)
        next_event(executor, Started)
        workers = [process for process in processes_below(os.getpid()) if is_worker(process)]
        wait_for(lambda: any(is_held_up(process) for process in workers), 60)
        for process in workers:
            os.kill(process, signal.SIGSTOP)
        events = next_event(executor, Finished)
    (record,) = records_of(events)
    assert len(record.log) > 500_000


def test_a_waker_ends_when_it_is_closed() -> None:
    before = threading.active_count()
    woken = threading.Event()
    waker = Waker(woken.set, 0.01)
    assert woken.wait(20)
    for _ in range(2):
        waker.close()
    assert threading.active_count() == before
