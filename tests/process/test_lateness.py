"""What is charged to bots and not theirs: counted by the kernel, and tried by ``loa doctor``."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.cli import lateness_trial, machine_checks
from harness.cli.lateness_trial import MOVES, late_ns_of_sleepers
from harness.cli.machine_checks import State, check_machine
from harness.execution.slots import usable_processors
from harness.process.lateness import ThreadTimes
from harness.process.process_tree import children_of
from tests.process.support import MS, Tag, wait_for

pytestmark = pytest.mark.process


def is_counted() -> bool:
    times = ThreadTimes.of_this_thread()
    is_known = times.is_known
    times.close()
    return is_known


needs_counting = pytest.mark.skipif(not is_counted(), reason="the system does not count waits")


@contextmanager
def busy(count: int, processor: int) -> Iterator[list[int]]:
    """Have processes compute, all on one processor."""
    children = []
    try:
        for _ in range(count):
            child = os.fork()
            if child == 0:
                os.sched_setaffinity(0, {processor})
                while True:
                    pass
            children.append(child)
        yield children
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


@pytest.mark.alone
@needs_counting
def test_who_shares_a_processor_waits_for_it() -> None:
    with busy(2, min(usable_processors())) as children:
        time.sleep(0.1)  # both have come there
        times = [ThreadTimes(f"/proc/{child}/schedstat") for child in children]
        time.sleep(0.5)
        spells = [one.since_last() for one in times]
    for one, spell in zip(times, spells, strict=True):
        assert spell is not None
        assert spell.waited_ns > 100 * MS
        assert spell.ran_ns + spell.waited_ns < 10_000 * MS
        assert one.since_last() is None  # its process is gone
        assert not one.is_known


@needs_counting
def test_a_thread_that_sleeps_waits_for_nothing() -> None:
    times = ThreadTimes.of_this_thread()
    time.sleep(0.5)
    spell = times.since_last()
    times.close()
    assert spell is not None
    assert spell.ran_ns + spell.waited_ns < 400 * MS


def test_sleepers_tell_how_late_each_move_was(tag: Tag, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOA_TEST_TAG", tag.value)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - of this process alone
    children_before = set(children_of(os.getpid()))
    for at_once in (1, 3):
        late_ns = late_ns_of_sleepers(at_once)
        assert at_once <= len(late_ns) <= at_once * MOVES
        assert min(late_ns) > 0  # to wake both takes time
        # What the bot sleeps is not in it; on a busy machine a wake-up may be as late as that.
        assert sorted(late_ns)[len(late_ns) // 10] < lateness_trial.SLEEP_MS * MS
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    assert set(children_of(os.getpid())) <= children_before


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit(3)", "did not answer"),
        ("import os\nwhile os.read(0, 99): os.write(1, b'bestmove b1b3\\n')", "did not answer"),
        ("import time; time.sleep(60)", "did not answer"),
    ],
)
def test_sleepers_that_fail_are_said(
    tag: Tag, monkeypatch: pytest.MonkeyPatch, program: str, why: str
) -> None:
    monkeypatch.setenv("LOA_TEST_TAG", tag.value)
    monkeypatch.setattr(lateness_trial, "_SLEEPER", program)
    monkeypatch.setattr(lateness_trial, "_START_SECONDS", 1)
    with pytest.raises(OSError, match=why):
        late_ns_of_sleepers(2)


def test_sleepers_end_with_whoever_wanted_them(tag: Tag, tmp_path: Path) -> None:
    program = "from harness.cli import lateness_trial as trial\n"
    program += "trial.MOVES, trial._MOVES_SECONDS = 100_000, 60\n"
    program += "trial.late_ns_of_sleepers(2)"
    environment = {**os.environ, "LOA_TEST_TAG": tag.value}
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", program], environment)
    wait_for(lambda: len(tag.processes()) >= 5)  # it, two that ask, two that sleep
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    tag.assert_nothing_left()


def lateness_of(folder: Path) -> machine_checks.Check:
    (check,) = (one for one in check_machine(folder) if one.name == "lateness")
    return check


def test_doctor_judges_as_many_at_once_as_there_are_slots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late_ns = {1: 1_000, 2: 51 * MS, 3: 50 * MS, 4: 3_000}
    monkeypatch.setattr(machine_checks, "late_ns_of_sleepers", lambda number: [late_ns[number]])
    for cores, state in ((2, State.MET), (3, State.WEAK), (4, State.MET)):
        monkeypatch.setattr(machine_checks, "physical_cores", lambda cores=cores: cores)
        check = lateness_of(tmp_path)
        assert check.state is state, cores
        assert ("--margin-ms" in check.advice) == (state is State.WEAK)
        assert "1 at once 0.00 and 0.00 ms, 2 at once 51.00 and 51.00 ms" in check.text
        assert ("3 at once" in check.text) == (cores == 4)


def test_doctor_goes_on_where_it_cannot_be_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(number: int) -> list[int]:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(machine_checks, "late_ns_of_sleepers", fails)
    check = lateness_of(tmp_path)
    assert check.state is State.WEAK
    assert "not measured, 1 at once" in check.text
    assert "temporarily unavailable" in check.text


def test_doctor_says_where_games_cannot_record_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_checks, "late_ns_of_sleepers", lambda number: [1_000])
    monkeypatch.setattr(ThreadTimes, "of_this_thread", ThreadTimes)
    assert "games cannot record it" in lateness_of(tmp_path).text
