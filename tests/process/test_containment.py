"""What each level of containment holds together, and what it does not."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.play.bot_definition import BotDefinition, BotLimits
from harness.play.clock import TimeControl
from harness.play.types import Cause, Opening
from harness.process.conformance.checklist import STEPS, run_checklist
from harness.process.conformance.report import Status
from harness.process.containment import Containment, containment_text, refusal
from harness.process.jobs import Started
from harness.process.judge import Judge
from harness.process.launch import launch
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet
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
    unruly_bot,
    wait_for,
)

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(bool(refusal(Containment.PID_NAMESPACE)), reason="no PID namespaces here"),
]

PROJECT = Path(__file__).parents[2]
CHECKED = ("program starts", "greeting", "isready", "first move as Black")
NOTHING = Path(os.devnull)
LEVELS = list(Containment)
FIRST_LEVEL_ALWAYS = [
    Containment.PID_NAMESPACE,
    pytest.param(Containment.SUBREAPER, marks=pytest.mark.slow),
    pytest.param(Containment.PROCESS_GROUP, marks=pytest.mark.slow),
]

# Plays one game at a level, slowly from turn 2 on, and says so when it has begun.
HARNESS = """
import sys, time
from harness.process.containment import Containment
from tests.process.support import *

if __name__ == "__main__":
    level, tag, mode = Containment(sys.argv[1]), Tag(sys.argv[2]), sys.argv[3]
    with local_executor([level]) as executor:
        bots = unruly_bot("first", mode, 1, tag=tag), faulty_bot("second", "silent", 1, tag=tag)
        executor.offer(pair_job(*bots, control="move=60"))
        while True:
            if executor.next_events(0.1):
                print("begun", flush=True)
"""


def daemons(tag: Tag) -> list[int]:
    """Return the bots' processes that have no pipe to the slot."""
    found = []
    for process in tag.processes():
        with suppress(OSError):
            words = Path(f"/proc/{process}/cmdline").read_bytes()
            # A bot leads a session as well, but reads from a pipe.
            if b"unruly_bot" in words and Path(f"/proc/{process}/fd/0").readlink() == NOTHING:
                found.append(process)
    return found


def end(processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("level", LEVELS)
def test_exit_codes_and_signals_are_the_same_everywhere(level: Containment, tag: Tag) -> None:
    with local_executor([level]) as executor:
        details = []
        for mode in ("exit", "segfault", "terminate-self", "kill-self"):
            make = faulty_bot if mode in ("exit", "segfault") else unruly_bot
            events = play_jobs(
                executor,
                pair_job(make("bad", mode, 2, tag=tag), unruly_bot("good", "none", tag=tag)),
            )
            records = records_of(events)
            assert all(record.outcome.cause is Cause.CRASH for record in records)
            assert {record.provenance["containment"] for record in records} <= {
                containment_text(level)
            }
            details.append([record.outcome.detail for record in records])
        assert details == [
            ["exited with code 3"] * 2,
            ["was ended by SIGSEGV"] * 2,
            ["was ended by SIGTERM"] * 2,
            [],
        ]


@pytest.mark.parametrize("level", [Containment.PID_NAMESPACE, Containment.SUBREAPER])
@pytest.mark.parametrize("mode", ["daemon", "daemon-flees"])
def test_a_daemon_is_gone_after_its_game(level: Containment, mode: str, tag: Tag) -> None:
    with local_executor([level]) as executor:
        bots = unruly_bot("bad", mode, 2, tag=tag), unruly_bot("good", "none", tag=tag)
        events = play_jobs(executor, pair_job(*bots))
        assert [record.outcome.cause for record in records_of(events)] == [Cause.MAX_PLIES] * 2
        # The two bots are kept; the daemon has their name, but a session of its own.
        assert daemons(tag) == []
        assert len(tag.processes()) == 2


def test_a_daemon_is_ended_while_its_game_goes_on(tag: Tag, tmp_path: Path) -> None:
    marker = tmp_path / "daemon"
    bad = unruly_bot("bad", "daemon-marks", 1, tag=tag)
    bad = replace(bad, env=(*bad.env, ("LOA_TEST_MARK", str(marker))))
    with local_executor() as executor:
        executor.offer(pair_job(bad, faulty_bot("good", "silent", 1, tag=tag), control="move=60"))
        next_event(executor, Started)
        wait_for(marker.exists)
        wait_for(lambda: daemons(tag) == [])
        assert executor.next_events(0) == []
        executor.withdraw()


def test_a_check_leaves_no_daemon(tag: Tag) -> None:
    bad = unruly_bot("bad", "daemon", 1, tag=tag)
    steps = [step for step in STEPS if step.name in CHECKED]
    with closing(run_checklist(bad, TimeControl.parse("2"), steps=steps)) as reports:
        statuses = [report.finding.status for report in reports]
    assert statuses == [Status.PASS] * len(CHECKED)
    assert tag.processes() == []


def test_a_judge_leaves_no_daemon(tag: Tag) -> None:
    bad = unruly_bot("bad", "daemon", 1, tag=tag)
    with (
        pytest.raises(InputError, match="it cannot judge"),
        Judge(bad, RuleSet(), TimeControl.parse("move=2"), 1) as judge,
    ):
        judge.score(Opening(STANDARD_START))
    assert tag.processes() == []


TERMINAL = """
import sys
from harness.play.bot_definition import BotDefinition
from harness.process.launch import launch

assert open("/dev/tty")
command = ("sh", "-c", "(exec 3</dev/tty) && echo HAS-A-TERMINAL; echo done")
print(launch(BotDefinition("x", command=command, folder="/")).communicate()[0].decode(), flush=True)
"""


def test_a_bot_does_not_have_the_users_terminal() -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", TERMINAL])
    said = b""
    with suppress(OSError):  # a terminal ends with an error
        while chunk := os.read(terminal, 4096):
            said += chunk
    os.waitpid(child, 0)
    os.close(terminal)
    assert b"done" in said
    assert b"HAS-A-TERMINAL" not in said


def test_a_bot_is_interrupted_by_what_its_slot_ignores() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        command = ("sh", "-c", "grep SigIgn /proc/self/status; cat /proc/self/oom_score_adj")
        process = launch(BotDefinition("x", command=command, folder="/"))
        output, _ = process.communicate()
    finally:
        signal.signal(signal.SIGINT, before)
    _, ignored, score = output.split()
    assert not int(ignored, 16) & 1 << (signal.SIGINT - 1)
    # It is the first to go when memory runs out, the slot is not.
    assert int(score) == 500
    assert int(Path("/proc/self/oom_score_adj").read_text()) < 500


def test_a_daemon_that_nothing_holds_is_still_nobodys_loss(tag: Tag) -> None:
    with local_executor([Containment.PROCESS_GROUP]) as executor:
        bots = unruly_bot("bad", "daemon", 2, tag=tag), unruly_bot("good", "none", tag=tag)
        events = play_jobs(executor, pair_job(*bots, legs="a"))
        assert [record.outcome.cause for record in records_of(events)] == [Cause.MAX_PLIES]
    assert len(tag.processes()) == 1
    end(daemons(tag))  # this level lets it live, and says so in the record


@pytest.mark.parametrize("level", FIRST_LEVEL_ALWAYS)
@pytest.mark.parametrize("victim", ["harness", "worker", "first-of-namespace"])
def test_kill_9_leaves_what_the_level_says(level: Containment, victim: str, tag: Tag) -> None:
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, level.value, tag.value, "daemons"],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert harness.stdout is not None
        assert harness.stdout.readline() == b"begun\n"
        wait_for(lambda: bool(daemons(tag)))
        workers = [one for one in processes_below(harness.pid) if is_worker(one)]
        assert len(workers) == (2 if level is Containment.PID_NAMESPACE else 1)
        number = {"harness": harness.pid, "worker": workers[0], "first-of-namespace": workers[-1]}
        os.kill(number[victim], signal.SIGKILL)
        if victim != "harness":
            wait_for(lambda: not any(Path(f"/proc/{one}").exists() for one in workers))
    finally:
        harness.kill()
        harness.communicate()
    if level is Containment.PID_NAMESPACE:
        tag.assert_nothing_left()
        return
    # Daemons may outlive the slot, as the record says; the bots may not.
    wait_for(lambda: set(tag.processes()) == set(daemons(tag)))
    end(daemons(tag))


@pytest.mark.parametrize("level", FIRST_LEVEL_ALWAYS)
def test_a_bot_that_ignores_everything_is_ended(level: Containment, tag: Tag) -> None:
    stubborn = faulty_bot(
        "stubborn", "ignores-everything", tag=tag, limits=BotLimits(goodbye_ms=50)
    )
    with local_executor([level]) as executor:
        events = play_jobs(
            executor, pair_job(stubborn, faulty_bot("good", "none", tag=tag), legs="a")
        )
        assert [record.outcome.cause for record in records_of(events)] == [Cause.MAX_PLIES]


def test_a_withdrawn_slot_leaves_nothing(tag: Tag) -> None:
    with local_executor() as executor:
        executor.offer(
            pair_job(
                unruly_bot("first", "daemons", 1, tag=tag),
                faulty_bot("second", "silent", 1, tag=tag),
                control="move=60",
            )
        )
        next_event(executor, Started)
        wait_for(lambda: bool(daemons(tag)))
        executor.withdraw()
        tag.assert_nothing_left()
