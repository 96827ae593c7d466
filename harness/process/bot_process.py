"""A bot as a process: the real transport, one deadline a request, bounds on all it reads."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import Final

from harness.play.bot_definition import BotDefinition
from harness.play.score import has_score
from harness.play.types import Answer, Ask, Exited, Overflowed, Reply, TimedOut
from harness.process.launch import LaunchError, launch
from harness.process.pipes import CHUNK_BYTES, BotPipes, Stream, Trace

MAX_REPLY_BYTES: Final = 16 * 1024 * 1024
_MAX_CONVERSATION_LINES: Final = 10_000
_MAX_INFO_BYTES: Final = 1024
_MAX_WAIT_MS: Final = 1e9  # poll takes 31 bits


class BotFailure(Exception):  # noqa: N818 - a bot's misbehaviour outside its turns
    """A bot cannot be started, greeted or made ready; ``why`` says it in one line."""

    def __init__(self, bot: str, why: str) -> None:
        super().__init__(bot, why)
        self.bot = bot
        self.why = why


class BotProcess:
    """One running bot. Created by starting it; BotFailure when that is not possible.

    Every wait ends with Withdrawn when ``control_fd`` becomes readable. ``is_faulty`` says that
    the process must not be used again.
    """

    def __init__(
        self, definition: BotDefinition, control_fd: int | None = None, trace: Trace | None = None
    ) -> None:
        self.definition = definition
        self.name = definition.name
        try:
            self._process = launch(definition)
        except LaunchError as error:
            raise BotFailure(self.name, str(error)) from error
        try:
            self.pipes = BotPipes(self.name, self._process, control_fd, trace)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise
        self.is_faulty = False
        self.is_closed = False

    @property
    def process_id(self) -> int:
        """The process number of the bot."""
        return self._process.pid

    @property
    def errors_text(self) -> str:
        """The tail of what the bot wrote to stderr since ``forget_errors``."""
        self.pipes.drain_errors()
        return self.pipes.errors.text()

    def forget_errors(self) -> None:
        """Begin a new tail: a game's record holds its own errors only."""
        self.pipes.drain_errors()
        self.pipes.errors.clear()

    def watch(self, other: BotProcess | None) -> None:
        """Read this bot's opponent's stderr too while this bot is asked."""
        self.pipes.watch(None if other is None else other.pipes)

    def ask(self, ask: Ask) -> Reply:
        """Send a request and wait for one ``bestmove`` line until the budget has run out."""
        pipes = self.pipes
        output_fd = pipes.output_fd
        info: bytes | None = None
        held: Answer | None = None
        received = 0
        has_exited = False
        pipes.begin(ask.request)
        begun_ns = time.monotonic_ns()
        pending = pipes.write(ask.request)
        deadline_ns = begun_ns + ask.budget_ns
        wait_ms = min(ask.budget_ns / 1e6, _MAX_WAIT_MS)
        while True:
            for fd, _ in pipes.poll.poll(wait_ms):
                if fd == output_fd:
                    try:
                        chunk = os.read(output_fd, CHUNK_BYTES)
                    except BlockingIOError:
                        continue
                    elapsed_ns = time.monotonic_ns() - begun_ns
                    if not chunk:
                        return _exited(held, pipes.how_it_ended(), elapsed_ns)
                    received += len(chunk)
                    for line in pipes.splitter.feed(chunk):
                        if pipes.trace is not None:
                            pipes.trace(self.name, "<", line)
                        if line.startswith(b"bestmove") and line[8:9] in (b" ", b"", b"\t"):
                            answer = Answer(line, elapsed_ns, info)
                            if line != ask.repeat or held is not None:
                                return answer
                            held = answer
                            info = None  # what came before it belongs to the last request
                        elif line.startswith(b"info "):
                            last = line[:_MAX_INFO_BYTES]
                            if not (ask.wants_score and _hides_score(info, last)):
                                info = last
                    if received > MAX_REPLY_BYTES:
                        return Overflowed(received, elapsed_ns)
                else:
                    match pipes.streams[fd]:
                        case Stream.INPUT:
                            pending = pipes.write(pending)
                        case Stream.EXIT:
                            has_exited = True
                        case stream:
                            pipes.serve(fd, stream)
            # What it wrote before its end is in the pipe: an answer there still counts.
            if has_exited and not pipes.output_poll.poll(0):
                elapsed_ns = time.monotonic_ns() - begun_ns
                return _exited(held, pipes.how_it_ended(), elapsed_ns)
            left_ns = deadline_ns - time.monotonic_ns()
            if left_ns < 0:
                return TimedOut(ask.budget_ns - left_ns) if held is None else held
            wait_ms = min(left_ns / 1e6, _MAX_WAIT_MS)

    def converse(self, request: bytes, last_line: bytes, limit_ms: int) -> list[bytes]:
        """Send lines and return the lines that come until ``last_line`` comes.

        Raises BotFailure when the bot ends, floods or is silent beyond the limit.
        """
        pipes = self.pipes
        lines: list[bytes] = []
        received = 0
        asked = request.split(b"\n")[-2].decode()
        pipes.begin(request)
        deadline_ns = time.monotonic_ns() + limit_ms * 1_000_000
        pending = pipes.write(request)
        while (left_ns := deadline_ns - time.monotonic_ns()) >= 0:
            for fd, _ in pipes.poll.poll(min(left_ns / 1e6, _MAX_WAIT_MS)):
                match pipes.streams[fd]:
                    case Stream.OUTPUT:
                        try:
                            chunk = os.read(fd, CHUNK_BYTES)
                        except BlockingIOError:
                            continue
                        if not chunk:
                            raise self._failure(f"{pipes.how_it_ended()} at {asked!r}")
                        received += len(chunk)
                        for line in pipes.splitter.feed(chunk):
                            if pipes.trace is not None:
                                pipes.trace(self.name, "<", line)
                            if line.strip() == last_line:
                                return lines
                            if len(lines) < _MAX_CONVERSATION_LINES:
                                lines.append(line)
                        if received > MAX_REPLY_BYTES:
                            raise self._failure(f"wrote {received} bytes at {asked!r}")
                    case Stream.INPUT:
                        pending = pipes.write(pending)
                    case Stream.EXIT:
                        if not pipes.output_poll.poll(0):
                            raise self._failure(f"{pipes.how_it_ended()} at {asked!r}")
                    case stream:
                        pipes.serve(fd, stream)
        wanted = last_line.decode()
        raise self._failure(f"did not answer {asked!r} with {wanted!r} in {limit_ms} ms")

    def _failure(self, why: str) -> BotFailure:
        self.is_faulty = True
        last_words = self.pipes.last_words()
        return BotFailure(self.name, f"{why}; its last words: {last_words}" if last_words else why)

    def terminate(self) -> None:
        """Send SIGTERM to the bot and its process group."""
        self._signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """End the bot and its process group at once and reap it; safe to call twice."""
        if self.is_closed:
            return
        self.is_closed = True
        # The unreaped leader keeps the number of the group from being given to another.
        self._signal_group(signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self.pipes.close()

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _hides_score(info: bytes | None, line: bytes) -> bool:
    """Whether an ``info`` line without a score would take the place of one that has it."""
    return info is not None and has_score(info) and not has_score(line)


def _exited(held: Answer | None, how: str, elapsed_ns: int) -> Reply:
    """Return the reply of a bot that ended: a verbatim repeat before the end is no answer."""
    return Exited(how if held is None else f"{how} after repeating its last answer", elapsed_ns)
