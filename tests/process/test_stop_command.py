"""``loa stop``: a run finishes its running games, ends, and its command goes on later."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process.run_command import BOTS, FLAGS, Loa, faulty
from tests.process.support import Tag

pytestmark = pytest.mark.process
QUICK = ("--tc", "nodes=1", "--max-plies", "60", "--name", "t", "--no-report")


def wait_for_line(process: subprocess.Popen[str], text: str) -> None:
    assert process.stderr is not None
    while text not in (line := process.stderr.readline()):
        assert line, "the run ended without saying it"


@pytest.mark.parametrize(
    "slots", [pytest.param(("--serial",), marks=pytest.mark.slow), ("--slots", "2", "--force")]
)
def test_what_runs_is_finished_and_the_same_command_goes_on(
    slots: tuple[str, ...], loa: Loa, tmp_path: Path, tag: Tag
) -> None:
    command = ("run", *BOTS[:2], *QUICK, "--rounds", "40", *slots)
    process = loa.start(*command, "--events", "ev")
    wait_for_line(process, "Finished game")
    _, told = loa("stop", "t", "--wait")
    assert f"asked process {process.pid} on " in told
    assert "results/t is not being run any more" in told
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 4, errors
    stored = loa.stored()
    assert 0 < stored < 80
    assert f"stopped as asked: {stored} of 80 games are stored in results/t" in errors
    assert "the same command goes on" in errors
    assert "Standings" in output
    lines = (loa.folder / "ev").read_text().splitlines()
    # Every game that was begun was finished.
    assert sum('"game-started"' in line for line in lines) == stored
    assert '"exit-code":4' in lines[-1]
    assert '"reason":"stopped"' in lines[-1]
    assert sorted(path.name for path in (loa.folder / "results" / "t").glob("*run.*")) == [
        "run.lock",
        "run.log",
    ]
    loa(*command)
    unbroken = Loa(tmp_path / "unbroken", tag)
    unbroken.folder.mkdir()
    unbroken(*command)
    assert loa.export() == unbroken.export()


def test_a_test_is_stopped_too(loa: Loa) -> None:
    process = loa.start("compare", *BOTS[:2], "--tc", "nodes=1", "--name", "t")
    wait_for_line(process, "Finished game")
    loa("stop", str(loa.folder / "results" / "t"))
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 4, errors
    assert "stopped as asked: " in errors
    assert "undecided" in output


def test_a_game_that_lasts_is_waited_for_and_ctrl_c_still_ends_it(loa: Loa) -> None:
    process = loa.start(
        "run", "random", faulty("thinker", "silent"), "--tc", "move=60", "--name", "t"
    )
    wait_for_line(process, "Started game 1")
    loa("stop", "t")
    wait_for_line(process, "note: asked to stop")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    assert loa.stored() == 0


def test_where_nothing_runs_there_is_nothing_to_stop(loa: Loa) -> None:
    _, errors = loa("stop", "t", code=2)
    assert "no tournament is stored in results/t" in errors
    loa("run", *BOTS[:2], "--tc", "nodes=1", "--rounds", "1", "--name", "t", "--no-report")
    _, errors = loa("stop", "t", code=2)
    assert errors == "loa: results/t is not being run: there is nothing to stop\n"
    assert not (loa.folder / "results" / "t" / "run.stop").exists()


@pytest.mark.slow  # quickly in tests/unit/director/test_lock.py
def test_a_request_for_an_earlier_run_stops_no_later_one(loa: Loa) -> None:
    folder = loa.folder / "results" / "t"
    folder.mkdir(parents=True)
    (folder / "run.stop").write_text("0123456789abcdef")
    loa("run", *BOTS[:2], *QUICK, "--rounds", "2")
    assert loa.stored() == 4


def test_two_runs_cannot_meet_by_a_link_and_serially(loa: Loa) -> None:
    first = loa.start(
        "run", "random", faulty("thinker", "silent"), "--tc", "move=60", "--name", "t", "--serial"
    )
    wait_for_line(first, "Started game 1")
    link = loa.folder / "elsewhere"
    link.symlink_to(loa.folder / "results")
    again = ("run", "random", "again=random", "--name", "t", "--no-report", "--results", str(link))
    for more in ((), ("--serial",)):
        _, errors = loa(*again, *more, code=2)
        assert f"is being run by process {first.pid} on " in errors
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=20)
    assert first.returncode == 143


def test_kill_9_frees_the_lock_and_a_request_for_it_is_none(loa: Loa) -> None:
    process = loa.start("run", *BOTS[:2], *QUICK, "--rounds", "10")
    loa.wait_until_stored(1)
    process.send_signal(signal.SIGKILL)
    _, errors = process.communicate()
    assert "resource_tracker" not in errors
    _, errors = loa("stop", "t", code=2)
    assert "nothing to stop" in errors
    loa("run", *BOTS[:2], *QUICK, "--rounds", "10")
    assert loa.stored() == 20


# The disk

_LIMITED = (
    "import os, resource, sys; size = int(sys.argv[1]); "
    "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)); "
    "os.execv(sys.executable, [sys.executable, '-m', 'harness', *sys.argv[2:]])"
)


def limited(loa: Loa, size: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run where no file may grow beyond so many bytes: the disk of one file is full."""
    return subprocess.run(
        [sys.executable, "-c", _LIMITED, str(size), *arguments],
        cwd=loa.folder,
        env=loa.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_disk_that_fills_up_ends_the_run_and_keeps_what_was_told(
    loa: Loa, tmp_path: Path, tag: Tag
) -> None:
    command = ("run", *BOTS[:2], *QUICK, "--rounds", "36", "--serial")
    done = limited(loa, 200_000, *command, "--events", "ev")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "Logging error" not in done.stderr
    assert "games.sqlite: the disk failed or is full" in done.stderr
    told = done.stderr.count("Finished game")
    assert 0 < told < 72
    assert loa.stored() == told
    last = (loa.folder / "ev").read_text().splitlines()[-1]
    assert '"reason":"failed"' in last
    assert '"exit-code":1' in last
    log = (loa.folder / "results" / "t" / "run.log").read_text()
    assert "run ended: StoreError: " in log
    loa(*command)
    unbroken = Loa(tmp_path / "unbroken", tag)
    unbroken.folder.mkdir()
    unbroken(*command)
    assert loa.export() == unbroken.export()


def test_no_room_for_the_lock(loa: Loa) -> None:
    done = limited(loa, 10, "run", *BOTS, *FLAGS)
    assert done.returncode == 1
    assert "run.lock: the disk is full" in done.stderr
    assert "make room, then run the same again" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.access("/proc/version", os.R_OK), reason="no /proc")
def test_a_folder_that_cannot_be_made(loa: Loa) -> None:
    _, errors = loa("run", *BOTS, *FLAGS, "--results", "/proc/nowhere", code=1)
    assert "/proc/nowhere/t: it cannot be written" in errors
    assert "--results" in errors
