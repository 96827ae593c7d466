"""Signals at every moment: the right code, no traceback, no process, nothing in the terminal."""

from __future__ import annotations

import os
import pty
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.process.run_command import BOTS, Loa, faulty
from tests.process.support import FAULTY_BOT, Tag

pytestmark = pytest.mark.process

_CAUGHT = "SigCgt:"


def thinking(loa: Loa, *more: str) -> list[str]:
    """The command of a run whose game lasts for a minute."""
    flags = ("--tc", "move=60", "--name", "t", "--no-report", *more)
    bots = ("random", faulty("thinker", "silent"))
    return [sys.executable, "-m", "harness", "run", *bots, *flags]


def start(loa: Loa, command: list[str], **streams: int) -> subprocess.Popen[str]:
    """Start a command in a process group of its own, as a shell does."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(  # type: ignore[no-any-return,call-overload]
        command,
        cwd=loa.folder,
        env=loa.environment,
        text=True,
        process_group=0,
        **{**pipes, **streams},
    )


def wait_for_own_code(process: subprocess.Popen[str]) -> None:
    """Wait until the program's first line has run: from then on it answers for signals."""
    bit = 1 << (signal.SIGTERM - 1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = next(line for line in status.splitlines() if line.startswith(_CAUGHT))
        if int(caught.removeprefix(_CAUGHT), 16) & bit:
            return
        time.sleep(0.0005)
    raise AssertionError("it never began")


def wait_for_line(process: subprocess.Popen[str], text: str) -> str:
    assert process.stderr is not None
    seen = ""
    while text not in seen:
        line = process.stderr.readline()
        assert line, seen
        seen += line
    return seen


def workers(process: subprocess.Popen[str]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def read_to_the_end(controller: int) -> bytes:
    """Return what is written to a terminal until nobody has it open any more."""
    seen = b""
    with suppress(OSError):
        while chunk := os.read(controller, 4096):
            seen += chunk
    os.close(controller)
    return seen


def interrupt_after(loa: Loa, seconds: float, number: signal.Signals, *more: str) -> None:
    process = start(loa, thinking(loa, *more))
    wait_for_own_code(process)
    time.sleep(seconds)
    os.killpg(process.pid, number)  # the whole group, as a terminal does
    output, errors = process.communicate(timeout=20)
    assert process.returncode == 128 + number, errors
    for text in ("Traceback", "KeyboardInterrupt", "Exception ignored", "resource_tracker"):
        assert text not in output + errors
    assert loa.stored() == 0


def moments(seed: str, count: int) -> list[float]:
    """Moments of the first second, at random, one in each of so many parts of it."""
    chance = random.Random(seed)
    return [(part + chance.random()) / count for part in range(count)]


@pytest.mark.parametrize("seconds", moments("ctrl-c", 12))
def test_ctrl_c_at_any_moment_of_the_first_second(loa: Loa, tag: Tag, seconds: float) -> None:
    more = ("--serial",) if int(seconds * 12) % 4 == 0 else ()
    interrupt_after(loa, seconds, signal.SIGINT, *more)
    tag.assert_nothing_left()


@pytest.mark.parametrize(
    ("number", "seconds"),
    [*((signal.SIGTERM, one) for one in moments("term", 2)), (signal.SIGHUP, 0.4)],
)
def test_other_signals_in_the_first_second(
    loa: Loa, number: signal.Signals, seconds: float
) -> None:
    interrupt_after(loa, seconds, number)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_at_many_moments(loa: Loa, tag: Tag, number: signal.Signals) -> None:
    for index, seconds in enumerate(moments(f"many {number}", 60)):
        interrupt_after(loa, 1.5 * seconds, number, *(("--serial",) if index % 4 == 0 else ()))
        tag.assert_nothing_left()


@pytest.mark.parametrize(
    ("numbers", "code"),
    # Of signals that wait the lower number is delivered first.
    [((signal.SIGINT, signal.SIGTERM), 143), ((signal.SIGHUP, signal.SIGINT), 130)],
)
def test_a_second_signal_ends_at_once_and_gives_the_terminal_back(
    loa: Loa, tag: Tag, numbers: tuple[signal.Signals, ...], code: int
) -> None:
    loa.environment["TERM"] = "xterm"
    controller, terminal = pty.openpty()
    process = start(loa, thinking(loa), stderr=terminal, stdout=subprocess.DEVNULL)
    os.close(terminal)
    seen = b""
    while b"0 of 20 games" not in seen:
        seen += os.read(controller, 4096)
    assert b"\x1b[?25l" in seen  # the cursor is hidden while the table is drawn
    # The second comes before the run could end by the first: its workers do not answer.
    for worker in workers(process):
        os.kill(worker, signal.SIGSTOP)
    process.send_signal(signal.SIGSTOP)
    for number in numbers:
        process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    rest = read_to_the_end(controller)
    process.wait(timeout=10)
    assert process.returncode == code
    _, given_back, after = rest.rpartition(b"\x1b[?25h")
    assert given_back
    assert b"stopped at once: " in after
    assert b"the same command goes on" in after
    assert b"\x1b[?25l" not in after
    assert b"resource_tracker" not in rest
    assert b"Traceback" not in rest
    tag.assert_nothing_left()


@pytest.mark.parametrize("more", [(), ("--serial",)])
def test_a_hang_up_ends_the_run(loa: Loa, more: tuple[str, ...]) -> None:
    process = start(loa, thinking(loa, *more))
    wait_for_line(process, "Started game 1")
    os.killpg(process.pid, signal.SIGHUP)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 129, errors
    assert "the same command goes on" in errors


def test_a_run_under_nohup_survives_a_hang_up(loa: Loa) -> None:
    command = [sys.executable, "-m", "harness", "run", *BOTS[:2], "--tc", "nodes=1"]
    flags = ["--rounds", "6", "--max-plies", "60", "--name", "t", "--no-report"]
    process = start(loa, ["nohup", *command, *flags])
    wait_for_line(process, "Started game 1")
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert loa.stored() == 12


def test_kill_9_leaves_no_word_of_a_resource_tracker(loa: Loa, tag: Tag) -> None:
    process = start(loa, thinking(loa))
    wait_for_line(process, "Started game 1")
    process.kill()
    _, errors = process.communicate(timeout=20)  # until the last process that holds it has ended
    assert errors == ""
    tag.assert_nothing_left()


def test_a_broken_stdout_costs_no_result_and_no_report(loa: Loa) -> None:
    command = [sys.executable, "-m", "harness", "run", *BOTS[:2], "--tc", "nodes=1"]
    process = start(loa, [*command, "--rounds", "1", "--name", "t"])
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors
    assert loa.stored() == 2
    assert (loa.folder / "results" / "t" / "report" / "report.md").exists()


def test_ctrl_c_in_preflight_waits_for_no_goodbye(loa: Loa) -> None:
    spec = loa.folder / "cup.toml"
    bot = f"name = 'mute'\ncommand = ['{sys.executable}', '-S', '{FAULTY_BOT}', 'start-silent']"
    spec.write_text(
        "[tournament]\nname = 't'\n[[bot]]\nname = 'random'\nmodule = 'bots.random_bot'\n"
        f"[[bot]]\n{bot}\ngoodbye-ms = 60000\n"
    )
    process = start(loa, [sys.executable, "-m", "harness", "run", str(spec)])
    seen = wait_for_line(process, "waiting for mute")
    assert "it has 30 s" in seen
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert time.monotonic() - begun < 30  # not the minute of the goodbye
