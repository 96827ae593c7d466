"""What a worker tells in one message: the end of a game, and the begin of the next one."""

from __future__ import annotations

import os
import signal
import time

import pytest

from harness.execution.base import ExecutionEvent, Finished
from harness.process.jobs import GreetJob, Played, Started
from harness.rules.types import RuleSet
from tests.process.support import (
    Tag,
    faulty_bot,
    local_executor,
    pair_job,
    play_jobs,
    records_of,
)

pytestmark = pytest.mark.process


def test_the_end_of_a_game_and_the_begin_of_the_next_come_together(tag: Tag) -> None:
    bots = faulty_bot("a", "none", tag=tag), faulty_bot("b", "none", tag=tag)
    groups: list[list[type[ExecutionEvent]]] = []
    with local_executor() as executor:
        jobs = [*(pair_job(*bots, pair=pair, max_plies=4) for pair in (1, 2))]
        for job in jobs:
            executor.offer(job)
        deadline = time.monotonic() + 60
        while sum(group.count(Finished) for group in groups) < 2:
            assert time.monotonic() < deadline, groups
            events = executor.next_events(0.5)
            if events:
                groups.append([type(event) for event in events])
    assert groups == [
        [Started],
        [Played, Started],
        [Played, Finished, Started],
        [Played, Started],
        [Played, Finished],
    ]


def test_nothing_is_held_back_for_a_question(tag: Tag) -> None:
    bots = faulty_bot("a", "none", tag=tag), faulty_bot("b", "none", tag=tag)
    silent = faulty_bot("c", "start-silent", tag=tag)
    with local_executor() as executor:
        executor.offer(pair_job(*bots, legs="a", max_plies=4))
        executor.offer(GreetJob(silent, RuleSet()))
        begun = time.monotonic()
        kinds: list[type[ExecutionEvent]] = []
        while Finished not in kinds:
            assert time.monotonic() < begun + 60, kinds
            kinds += [type(event) for event in executor.next_events(0.5)]
        assert kinds == [Started, Played, Finished]


def test_a_new_worker_is_told_what_the_last_one_knew(tag: Tag) -> None:
    bots = faulty_bot("a", "none", tag=tag), faulty_bot("b", "none", tag=tag)
    job = pair_job(*bots, max_plies=4)
    with local_executor() as executor:
        first = play_jobs(executor, job)
        worker = executor._slots[0].process.pid
        assert worker is not None
        os.kill(worker, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while executor._slots[0].process.pid == worker:  # what is left of it may still play
            assert time.monotonic() < deadline
            executor.next_events(0.1)
        second = play_jobs(executor, job)
    for events in (first, second):
        assert [record.spec for record in records_of(events)] == [*job.games]
