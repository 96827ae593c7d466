"""A bot whose processes misbehave in one chosen way at a chosen turn. Standard library only.

``unruly_bot.py MODE [TURN]``: TURN counts the bot's own requests from 1; the modes that burn
or sleep on or off turn do it at every turn, where TURN is a time in milliseconds. Every mode has
an end of its own, so that a harness that fails does no harm to the machine: memory up to
MAX_BYTES, MAX_PROCESSES processes, MAX_SECONDS of life.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MOVES = ("b1b3", "h4f2", "b3b1", "f2h4")
MIB = 1024 * 1024
MAX_BYTES = 1500 * MIB
MAX_PROCESSES = 500
MAX_SECONDS = 60.0
STEP_BYTES = 16 * MIB


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def live() -> None:
    """Do nothing until the end of all modes."""
    time.sleep(MAX_SECONDS)
    os._exit(0)


def ignore_signals() -> None:
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        with suppress(OSError):
            signal.signal(number, signal.SIG_IGN)


def start_daemon(act: Callable[[], None]) -> None:
    """Have a process do it that nothing ties to this one: other session, no pipes, no parent."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    ignore_signals()
    os.chdir("/")
    nothing = os.open("/dev/null", os.O_RDWR)
    for fd in range(3):
        os.dup2(nothing, fd)
    act()
    os._exit(0)


def mark() -> None:
    """Make the file that LOA_TEST_MARK names and live."""
    Path(os.environ["LOA_TEST_MARK"]).touch()
    live()


def start_daemons() -> None:
    """Start one after the other, so that there is one whenever somebody looks."""
    for _ in range(MAX_PROCESSES):
        start_daemon(live)
        time.sleep(0.005)


def allocate(limit_bytes: int = MAX_BYTES) -> None:
    held = []
    for _ in range(limit_bytes // STEP_BYTES):
        held.append(bytearray(b"x") * STEP_BYTES)
        time.sleep(0.005)
    live()


def allocate_shared() -> None:
    held = []
    for _ in range(MAX_BYTES // STEP_BYTES):
        held.append(mmap.mmap(-1, STEP_BYTES))
        held[-1].write(b"x" * STEP_BYTES)
        time.sleep(0.005)
    live()


def in_children(count: int, act: Callable[[], None]) -> None:
    """Do it in so many children; the bot lives on."""
    for _ in range(count):
        if os.fork() == 0:
            act()
            os._exit(0)


def fork_without_end(*, leaves: bool) -> None:
    """Fork in every process, ``leaves``: each into a session of its own."""
    shared = mmap.mmap(-1, mmap.PAGESIZE)
    end = time.monotonic() + 3
    while time.monotonic() < end and shared[0] * 256 + shared[1] < MAX_PROCESSES:
        number = shared[0] * 256 + shared[1] + 1
        shared[0], shared[1] = number // 256, number % 256
        with suppress(OSError):
            if os.fork() == 0 and leaves:
                os.setsid()
    live()


def flee() -> None:
    """Never stay: fork, leave, let the child do the same."""
    end = time.monotonic() + 3
    while time.monotonic() < end:
        if os.fork():
            os._exit(0)
        os.setsid()


def burn(milliseconds: float) -> None:
    end = time.thread_time() + milliseconds / 1000
    while time.thread_time() < end:
        pass


def burn_for_ever() -> None:
    burn(MAX_SECONDS * 1000)


def burn_without_lock() -> None:
    """Burn where threads do not wait for one another, unlike those of Python."""
    while time.thread_time() < MAX_SECONDS / 10:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000)


def in_threads(count: int, act: Callable[[], None]) -> None:
    for _ in range(count):
        threading.Thread(target=act, daemon=True).start()


def kill_everything(number: signal.Signals) -> None:
    """Send a signal to all processes; only where the slot is the first of its namespace."""
    own = os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116
    if os.getppid() != 1 or os.environ.get("LOA_TEST_NAMESPACE") in (None, str(own)):
        sys.exit(77)
    os.kill(-1, number)


def meddle() -> None:
    """Write into every pipe of every other process that lets it."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) in (1, os.getpid()):
            continue
        for name in ("1", "2"):
            with suppress(OSError):
                fd = os.open(folder / "fd" / name, os.O_WRONLY | os.O_NONBLOCK)
                os.write(fd, b"info string \xff hello\n" * 100)
                os.close(fd)


def misbehave(mode: str) -> None:
    match mode:
        case "daemon":
            start_daemon(live)
        case "daemons":
            in_threads(1, start_daemons)
        case "daemon-marks":
            start_daemon(mark)
        case "daemon-allocates":
            start_daemon(allocate)
        case "daemon-flees":
            start_daemon(flee)
        case "daemon-and-exit":
            start_daemon(live)
            sys.exit(8)
        case "burn-threads":
            in_threads(4, burn_for_ever)
        case "burn-many-threads":
            in_threads(150, burn_without_lock)
            live()
        case "burn-children":
            in_children(2, burn_for_ever)
        case "allocate":
            allocate()
        case "allocate-in-a-child":
            in_children(1, allocate)
            os.wait()
        case "allocate-in-many":
            in_children(20, lambda: allocate(3 * STEP_BYTES))
            os.wait()
        case "allocate-shared":
            allocate_shared()
        case "share-with-children":
            held = bytearray(b"x") * (40 * MIB)
            in_children(10, live)
            time.sleep(0.4)  # long enough to be looked at
            assert held
        case "fork":
            fork_without_end(leaves=False)
        case "fork-and-leave":
            fork_without_end(leaves=True)
        case "kill-group":
            os.killpg(0, signal.SIGKILL)
        case "kill-all":
            kill_everything(signal.SIGKILL)
        case "stop-self":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "kill-self":
            os.kill(os.getpid(), signal.SIGKILL)
        case "terminate-self":
            os.kill(os.getpid(), signal.SIGTERM)
        case "meddle":
            meddle()


def answer(mode: str, move: str, turn: int, requests: int) -> None:
    """Answer, and do before or after it what the mode says."""
    match mode:
        case "burn-on-turn":
            burn(turn)
        case "burn-on-turn-in-a-child":
            in_children(1, lambda: burn(turn))
            os.wait()
        case "burn-on-turn-in-short-children":
            for _ in range(6):
                in_children(1, lambda: burn(turn / 6))
                os.wait()
        case "sleep-on-turn":
            time.sleep(turn / 1000)
    say(f"bestmove {move}")
    match mode:
        case "burn-off-turn":
            burn(turn)
        case "burn-off-turn-in-a-child":
            in_children(1, lambda: burn(turn))
            os.wait()
        case "burn-off-turn-in-a-thread":
            in_threads(1, lambda: burn(turn))
        case "allocate-off-turn" if requests == turn:
            allocate()


def main() -> None:
    mode = sys.argv[1]
    turn = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    moves: list[str] = []
    requests = 0
    while line := sys.stdin.readline():
        words = line.split()
        match words[:1]:
            case ["ugi"]:
                say("id name unruly\nugiok")
            case ["isready"]:
                say("readyok")
            case ["uginewgame"]:
                requests = 0
            case ["position"]:
                moves = words[words.index("moves") + 1 :] if "moves" in words else []
            case ["go"]:
                requests += 1
                if requests == turn:
                    misbehave(mode)
                answer(mode, MOVES[len(moves) % 4], turn, requests)
            case ["quit"]:
                break


if __name__ == "__main__":
    main()
