"""Bots that sleep a known time and tell how long it was: what they are charged beyond it."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from harness.execution.placement import stay_on
from harness.execution.slots import core_of, usable_processors
from harness.play.bot_definition import BotDefinition
from harness.play.types import Answer, Ask
from harness.process.bot_process import BotFailure, BotProcess
from harness.process.pipes import AttemptLost
from harness.process.system_calls import die_with_parent
from harness.rules.types import Color

SLEEP_MS: Final = 2
MOVES: Final = 100

_WARM_UP_MOVES: Final = 5
_START_SECONDS: Final = 10
_MOVES_SECONDS: Final = 2
_INFO: Final = b"info string own-ns "
_CHUNK_BYTES: Final = 65_536

_SLEEPER: Final = f"""
import os, time
while os.read(0, {_CHUNK_BYTES}):
    begun = time.monotonic_ns()
    time.sleep({SLEEP_MS / 1000})
    own_ns = time.monotonic_ns() - begun
    os.write(1, b"{_INFO.decode()}%d\\nbestmove b1b3\\n" % own_ns)
"""


def late_ns_of_sleepers(at_once: int) -> list[int]:
    """Return for each move of so many bots at once by how much it was charged beyond its own time.

    Each bot has a process of its own that asks it, as a slot has; both are on a core of their
    own where there are as many. They move together, some ``MOVES`` times each. Raises OSError when
    a bot cannot be started or asked. Must be called where no other thread runs.
    """
    cores = {core_of(processor): processor for processor in sorted(usable_processors())}
    places = tuple(cores.values())[-at_once:] if at_once <= len(cores) else ()
    begin_fd, begin_write_fd = os.pipe()  # closed when all may begin
    ready_fd, ready_write_fd = os.pipe()
    children: list[int] = []
    answers: list[int] = []
    try:
        for number in range(at_once):
            answer_fd, write_fd = os.pipe()
            answers.append(answer_fd)
            child = os.fork()
            if child == 0:
                os.close(begin_write_fd)
                place = (places[number],) if places else ()
                _measure_and_tell(write_fd, place, ready_write_fd, begin_fd)
            children.append(child)
            os.close(write_fd)
        _await_all(ready_fd, at_once)
        os.close(begin_write_fd)
        begin_write_fd = -1
        deadline = time.monotonic() + _MOVES_SECONDS + 1
        return [late_ns for fd in answers for late_ns in _read(fd, deadline)]
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)  # its bot ends with it
            os.waitpid(child, 0)
        for fd in (*answers, begin_fd, begin_write_fd, ready_fd, ready_write_fd):
            with suppress(OSError):
                os.close(fd)


def _await_all(ready_fd: int, at_once: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    waiting = at_once
    while waiting and (left := deadline - time.monotonic()) > 0:
        if select.select([ready_fd], [], [], left)[0]:
            waiting -= len(os.read(ready_fd, waiting))


def _read(answer_fd: int, deadline: float) -> list[int]:
    """Read what a child says: numbers, or why there are none."""
    text = b""
    while select.select([answer_fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        chunk = os.read(answer_fd, _CHUNK_BYTES)
        if not chunk:
            break
        text += chunk
    head, _, rest = text.partition(b" ")
    if head != b"late":
        raise OSError(text.decode(errors="replace") or "no answer came")
    return [int(number) for number in rest.split()]


def _measure_and_tell(
    write_fd: int, processors: tuple[int, ...], ready_fd: int, begin_fd: int
) -> None:
    """Measure in a child, write what came of it, and end."""
    text = "it failed"
    try:
        die_with_parent()
        stay_on(processors)
        late_ns = _measured(ready_fd, begin_fd)
        text = f"late {' '.join(map(str, late_ns))}"
    except (BotFailure, AttemptLost, OSError, ValueError) as error:
        text = getattr(error, "why", "") or str(error)
    finally:
        with suppress(OSError):
            os.write(ready_fd, b"x")  # whoever failed keeps nobody waiting
            os.write(write_fd, text.encode())
        os._exit(0)


def _measured(ready_fd: int, begin_fd: int) -> Sequence[int]:
    words = (sys.executable, "-I", "-S", "-c", _SLEEPER)
    bot = BotProcess(BotDefinition("sleeper", command=words, folder="/"))
    try:
        for _ in range(_WARM_UP_MOVES):  # it starts meanwhile
            _late_ns(bot, _START_SECONDS)
        os.write(ready_fd, b"x")
        os.read(begin_fd, 1)
        until = time.monotonic() + _MOVES_SECONDS
        late_ns: list[int] = []
        while len(late_ns) < MOVES and time.monotonic() < until:
            late_ns.append(_late_ns(bot, _MOVES_SECONDS))
        return late_ns
    finally:
        bot.kill()


def _late_ns(bot: BotProcess, limit_seconds: int) -> int:
    reply = bot.ask(Ask(Color.BLACK, b"go\n", limit_seconds * 1_000_000_000, None))
    if not isinstance(reply, Answer) or reply.info is None:
        raise ValueError("a bot that sleeps did not answer")
    return reply.elapsed_ns - int(reply.info.removeprefix(_INFO))
