"""SIGSTOP of harness, workers and machine while a clock runs: no bot loses by it.

Stops are made from outside by process ids, as a person, a shell or a debugger would do it.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from harness.execution import local
from harness.execution.base import ExecutionEvent, Finished, Lost
from harness.execution.local import LocalExecutor
from harness.play.bot_definition import BotLimits
from harness.play.types import Cause
from harness.process.containment import Containment, refusal
from harness.process.jobs import Greeted, GreetJob, Played, Started
from harness.rules.types import Color, RuleSet
from tests.process.run_command import Loa, faulty
from tests.process.support import (
    Tag,
    faulty_bot,
    is_worker,
    local_executor,
    next_event,
    pair_job,
    play_jobs,
    processes_below,
    records_of,
    wait_for,
)

pytestmark = [pytest.mark.process, pytest.mark.alone]

STOP_SECONDS = 1.1
END_SECONDS = 60
NAMESPACE_REFUSED = bool(refusal(Containment.PID_NAMESPACE))


def stop_for_a_while(processes: Sequence[int], seconds: float = STOP_SECONDS) -> None:
    """Stop processes in this order, then let them go on in the other one."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    time.sleep(seconds)
    for process in reversed(processes):
        os.kill(process, signal.SIGCONT)


def workers() -> list[int]:
    """Return the workers of this process: the outer first, then the first of its namespace."""
    return [process for process in processes_below(os.getpid()) if is_worker(process)]


def bot_processes(tag: Tag, mode: str) -> list[int]:
    found = []
    for process in tag.processes():
        with suppress(OSError):
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            if mode.encode() in words:
                found.append(process)
    return found


def wait_until_asked(tag: Tag, mode: str, *besides: int) -> int:
    """Wait until a bot of this mode sits in its turn, asleep; returns its process."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for process in set(bot_processes(tag, mode)) - {*besides}:
            with suppress(OSError):
                if "nanosleep" in Path(f"/proc/{process}/wchan").read_text():
                    return process
        time.sleep(0.01)
    raise AssertionError(mode)


def end_of_job(executor: LocalExecutor) -> list[ExecutionEvent]:
    events: list[ExecutionEvent] = []
    deadline = time.monotonic() + END_SECONDS
    while not any(isinstance(event, Finished | Lost) for event in events):
        assert time.monotonic() < deadline, events
        events += executor.next_events(1)
    return events


@pytest.mark.parametrize(
    "level",
    [
        Containment.PID_NAMESPACE,
        pytest.param(Containment.SUBREAPER, marks=pytest.mark.slow),
        pytest.param(Containment.PROCESS_GROUP, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("mode", ["late", "silent"])
def test_a_stopped_worker_makes_the_game_a_lost_attempt(
    level: Containment, mode: str, tag: Tag
) -> None:
    if level is Containment.PID_NAMESPACE and NAMESPACE_REFUSED:
        pytest.skip("no PID namespaces here")
    thinker = faulty_bot("thinker", mode, 1, tag=tag)
    good, other = (faulty_bot(name, "none", tag=tag) for name in ("good", "other"))
    with local_executor([level]) as executor:
        # "late" answers after 1 s, in time; "silent" is late when the worker goes on.
        control = "move=5" if mode == "late" else "move=1"
        executor.offer(pair_job(thinker, good, legs="a", control=control))
        next_event(executor, Started)
        wait_until_asked(tag, mode)
        stop_for_a_while(workers()[-1:])
        (lost,) = [event for event in end_of_job(executor) if not isinstance(event, Started)]
        assert isinstance(lost, Lost)
        assert "stopped for" in lost.why
        assert tag.processes() == []
        # The slot goes on with another job.
        again = records_of(play_jobs(executor, pair_job(good, other, legs="a", pair=2)))
        assert [record.outcome.cause for record in again] == [Cause.MAX_PLIES]


@pytest.mark.skipif(NAMESPACE_REFUSED, reason="no PID namespaces here")
def test_the_outer_worker_may_be_stopped_alone(tag: Tag) -> None:
    with local_executor() as executor:
        bots = faulty_bot("late", "late", 1, tag=tag), faulty_bot("good", "none", tag=tag)
        executor.offer(pair_job(*bots, legs="a", control="move=5"))
        next_event(executor, Started)
        wait_until_asked(tag, "late")
        stop_for_a_while(workers()[:1])
        (record,) = records_of(end_of_job(executor))
        assert record.outcome.cause is Cause.MAX_PLIES


def test_a_stop_between_games_and_in_preflight_harms_nothing(tag: Tag) -> None:
    slow = faulty_bot("slow", "start-slow", 300, tag=tag)
    good = faulty_bot("good", "none", tag=tag)
    with local_executor() as executor:
        executor.offer(GreetJob(slow, RuleSet()))
        wait_for(lambda: len(bot_processes(tag, "start-slow")) == 1)
        stop_for_a_while(workers())
        events = end_of_job(executor)
        (greeted,) = [event for event in events if isinstance(event, Greeted)]
        assert (greeted.problems, greeted.failure) == ((), None)
        for pair in (1, 2):
            (first, second) = records_of(play_jobs(executor, pair_job(slow, good, pair=pair)))
            assert first.outcome.cause is second.outcome.cause is Cause.MAX_PLIES
            if pair == 1:
                stop_for_a_while(workers())


def test_the_time_of_a_stop_is_given_back_in_preflight(tag: Tag) -> None:
    # It needs 2 s and has 1.5: with what the slot was stopped for it is in time.
    limits = BotLimits(start_ms=1500)
    slow = faulty_bot("slow", "start-slow", 2000, tag=tag, limits=limits)
    with local_executor() as executor:
        executor.offer(GreetJob(slow, RuleSet()))
        wait_for(lambda: len(bot_processes(tag, "start-slow")) == 1)
        # The bot goes on meanwhile, and answers after it.
        stop_for_a_while(workers()[-1:], 1.9)
        events = end_of_job(executor)
    (greeted,) = [event for event in events if isinstance(event, Greeted)]
    assert (greeted.problems, greeted.failure) == ((), None)


def test_an_answer_in_time_is_no_loss_when_the_slot_stood_still_shortly(tag: Tag) -> None:
    """It comes after 1.0 s and has 1.2; the slot reads it later, and cannot know when it came."""
    with local_executor() as executor:
        bots = faulty_bot("late", "late", 1, tag=tag), faulty_bot("good", "none", tag=tag)
        executor.offer(pair_job(*bots, legs="a", control="move=1.15"))
        next_event(executor, Started)
        wait_until_asked(tag, "late")
        time.sleep(0.85)
        stop_for_a_while(workers()[-1:], 0.4)
        events = end_of_job(executor)
    assert [record.outcome.cause for record in records_of(events)] in ([], [Cause.MAX_PLIES])
    assert all("stopped for" in event.why for event in events if isinstance(event, Lost))


def test_a_bot_that_is_stopped_loses_on_time(tag: Tag) -> None:
    with local_executor() as executor:
        bots = faulty_bot("slow", "late", 3, tag=tag), faulty_bot("good", "none", tag=tag)
        executor.offer(pair_job(*bots, legs="a", control="move=1.5"))
        next_event(executor, Started)
        os.kill(wait_until_asked(tag, "late"), signal.SIGSTOP)
        (record,) = records_of(end_of_job(executor))
        assert (record.outcome.cause, record.outcome.winner) == (Cause.TIME, Color.WHITE)
        assert len(record.plies) == 4


def test_kill_9_of_a_bot_in_its_turn_is_nobodys_loss(tag: Tag) -> None:
    with local_executor() as executor:
        bots = faulty_bot("slow", "silent", 3, tag=tag), faulty_bot("good", "none", tag=tag)
        executor.offer(pair_job(*bots, control="move=60"))
        next_event(executor, Started)
        os.kill(wait_until_asked(tag, "silent"), signal.SIGKILL)
        events = end_of_job(executor)
        assert not any(isinstance(event, Played) for event in events)
        (lost,) = [event for event in events if isinstance(event, Lost)]
        assert lost.why.startswith("slow was killed from outside (SIGKILL)")


@pytest.mark.parametrize("is_group", [pytest.param(False, marks=pytest.mark.slow), True])
def test_ctrl_z_and_fg_flag_nobody(is_group: bool, loa: Loa, tag: Tag) -> None:
    """As the shell does it: all of the harness's group, and the bots go on."""
    process = loa.start(
        "run",
        faulty("late", "late", 1),
        faulty("good", "none"),
        *("--tc", "move=5", "--rounds", "1", "--name", "t", "--no-report"),
        *("--random-plies", "0", "--max-plies", "6"),
    )
    assert process.stderr is not None
    while "Started game 1" not in process.stderr.readline():
        pass
    wait_until_asked(tag, "late")
    below = [one for one in processes_below(process.pid) if is_worker(one)]
    stop_for_a_while([process.pid, *below] if is_group else [process.pid])
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert loa.stored() == 2
    assert "stopped for" in errors or not is_group, errors
    assert "forfeit" not in errors
    assert loa.export().count('"cause":"max-plies"') == 2


def test_a_bot_killed_three_times_leaves_its_game_open(loa: Loa, tag: Tag) -> None:
    process = loa.start(
        "run",
        faulty("slow", "silent", 1),
        faulty("good", "none"),
        *("--tc", "move=60", "--rounds", "1", "--name", "t", "--no-report"),
        *("--random-plies", "0", "--max-plies", "8", "--slots", "1"),
    )
    killed: list[int] = []
    for _ in range(6):  # three attempts at each of two games
        killed.append(wait_until_asked(tag, "silent", *killed))
        os.kill(killed[-1], signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 3, errors
    assert loa.stored() == 0
    assert errors.count("given up after 3 attempts") == 2, errors


def test_a_worker_that_nobody_wakes_is_woken(tag: Tag, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_STOPPED_SECONDS", 1.0)
    with local_executor() as executor:
        bots = faulty_bot("late", "late", 1, tag=tag), faulty_bot("good", "none", tag=tag)
        executor.offer(pair_job(*bots, legs="a", control="move=5"))
        next_event(executor, Started)
        wait_until_asked(tag, "late")
        for process in workers():
            os.kill(process, signal.SIGSTOP)
        assert isinstance(end_of_job(executor)[-1], Lost)
