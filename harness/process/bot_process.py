"""A bot as a process: the real transport, one deadline a request, bounds on all it reads."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum
from typing import Final

from harness.play.types import Answer, Ask, BotDefinition, BotProtocol, Exited, Overflowed, Reply
from harness.play.types import TimedOut as TimedOutReply
from harness.process.launch import LaunchError, launch
from harness.process.lines import LineSplitter
from harness.process.tail import Tail

MAX_REPLY_BYTES: Final = 16 * 1024 * 1024
MAX_STALE_BYTES: Final = 64 * 1024
_CHUNK_BYTES: Final = 64 * 1024
_MAX_CONVERSATION_LINES: Final = 10_000
_MAX_WAIT_MS: Final = 1e9  # poll takes 31 bits
_EXIT_STATUS_WAIT_MS: Final = 200
_TERMINATE_WAIT_MS: Final = 100
_MAX_FINAL_STDERR_BYTES: Final = 1024 * 1024

Trace = Callable[[str, str, bytes], None]
"""Called with the bot's name, ``>`` (to the bot), ``<`` (from it) or ``!`` (stderr), and a line."""


class Withdrawn(Exception):  # noqa: N818 - a message to the slot, not an error
    """The run wants the slot back: the game that is played has no result."""


class BotFailure(Exception):  # noqa: N818 - a bot's misbehaviour outside its turns
    """A bot cannot be started, greeted or made ready; ``why`` says it in one line."""

    def __init__(self, bot: str, why: str) -> None:
        super().__init__(bot, why)
        self.bot = bot
        self.why = why


class _Stream(Enum):
    OUTPUT = 0
    ERRORS = 1
    OTHER_ERRORS = 2
    EXIT = 3
    CONTROL = 4
    INPUT = 5


class BotProcess:
    """One running bot: write lines, read lines, watch its errors and its end.

    ``control_fd`` becomes readable when the run wants the slot back; every wait then ends with
    Withdrawn. Created by starting the process; BotFailure when that is not possible.
    """

    def __init__(
        self, definition: BotDefinition, control_fd: int | None = None, trace: Trace | None = None
    ) -> None:
        self.definition = definition
        self.name = definition.name
        self._control_fd = control_fd
        self._trace = trace
        try:
            self._process = launch(definition)
        except LaunchError as error:
            raise BotFailure(self.name, str(error)) from error
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._input_fd = process.stdin.fileno()
        self._output_fd = process.stdout.fileno()
        self._errors_fd = process.stderr.fileno()
        for fd in (self._input_fd, self._output_fd, self._errors_fd):
            os.set_blocking(fd, False)
        self._exit_fd = os.pidfd_open(process.pid)
        self._splitter = LineSplitter()
        self._errors = Tail()
        self._stale_poll = select.poll()
        self._stale_poll.register(self._output_fd, select.POLLIN)
        self._other: BotProcess | None = None
        self._streams: dict[int, _Stream] = {}
        self._poll = select.poll()
        self.watch(None)
        self.is_faulty = False
        self._is_closed = False

    @property
    def process_id(self) -> int:
        """The process number of the bot."""
        return self._process.pid

    @property
    def errors_text(self) -> str:
        """The tail of what the bot wrote to stderr since ``forget_errors``."""
        return self._errors.text()

    def forget_errors(self) -> None:
        """Begin a new tail: a game's record holds its own errors only."""
        self._drain_errors(_CHUNK_BYTES)
        self._errors.clear()

    def gather_errors(self) -> None:
        """Read what stands in stderr at the end of a game."""
        self._drain_errors(_CHUNK_BYTES)

    def watch(self, other: BotProcess | None) -> None:
        """Read this bot's opponent's stderr too while this bot is asked."""
        self._other = other
        self._streams = {
            self._output_fd: _Stream.OUTPUT,
            self._errors_fd: _Stream.ERRORS,
            self._exit_fd: _Stream.EXIT,
        }
        if other is not None:
            self._streams[other._errors_fd] = _Stream.OTHER_ERRORS
        if self._control_fd is not None:
            self._streams[self._control_fd] = _Stream.CONTROL
        self._poll = select.poll()
        for fd in self._streams:
            self._poll.register(fd, select.POLLIN)

    # Asking for a move

    def ask(self, ask: Ask) -> Reply:
        """Send a request and wait for one ``bestmove`` line until the budget has run out."""
        output_fd = self._output_fd
        if self._stale_poll.poll(0):
            self._drop_stale()
        self._splitter.clear()
        info: bytes | None = None
        held: Answer | None = None
        received = 0
        request = ask.request
        if self._trace is not None:
            self._trace_lines(">", request)
        begun_ns = time.monotonic_ns()
        pending = self._write(request)
        deadline_ns = begun_ns + ask.budget_ns
        wait_ms = min(ask.budget_ns / 1e6, _MAX_WAIT_MS)
        has_exited = False
        while True:
            for fd, _ in self._poll.poll(wait_ms):
                if fd == output_fd:
                    try:
                        chunk = os.read(output_fd, _CHUNK_BYTES)
                    except BlockingIOError:
                        continue
                    elapsed_ns = time.monotonic_ns() - begun_ns
                    if not chunk:
                        return held_or_exited(held, self._how_it_ended(), elapsed_ns)
                    received += len(chunk)
                    for line in self._splitter.feed(chunk):
                        if self._trace is not None:
                            self._trace(self.name, "<", line)
                        if line.startswith(b"bestmove"):
                            if line[8:9] not in (b"", b" ", b"\t"):
                                continue
                            if line == ask.repeat and held is None:
                                held = Answer(line, elapsed_ns, info)
                                continue
                            return Answer(line, elapsed_ns, info)
                        if line.startswith(b"info "):
                            info = line
                    if received > MAX_REPLY_BYTES:
                        return Overflowed(received, elapsed_ns)
                else:
                    match self._streams[fd]:
                        case _Stream.INPUT:
                            pending = self._write(pending)
                        case _Stream.EXIT:
                            has_exited = True
                            self._poll.unregister(fd)
                        case stream:
                            self._serve(fd, stream)
            # What it wrote before its end is in the pipe: an answer there still counts.
            if has_exited and not self._stale_poll.poll(0):
                elapsed_ns = time.monotonic_ns() - begun_ns
                return held_or_exited(held, self._how_it_ended(), elapsed_ns)
            left_ns = deadline_ns - time.monotonic_ns()
            if left_ns < 0:
                if held is not None:
                    return held
                return TimedOutReply(ask.budget_ns - left_ns)
            wait_ms = min(left_ns / 1e6, _MAX_WAIT_MS)

    def _write(self, request: bytes) -> bytes:
        """Write what the pipe takes; return the rest and watch for room when there is one."""
        try:
            written = os.write(self._input_fd, request)
        except BlockingIOError:
            written = 0
        except OSError:
            # The bot closed its input or is gone: whatever is wrong shows in its output.
            self._stop_writing()
            return b""
        rest = request[written:]
        if rest:
            if self._input_fd not in self._streams:
                self._streams[self._input_fd] = _Stream.INPUT
                self._poll.register(self._input_fd, select.POLLOUT)
        else:
            self._stop_writing()
        return rest

    def _stop_writing(self) -> None:
        if self._input_fd in self._streams:
            del self._streams[self._input_fd]
            self._poll.unregister(self._input_fd)

    def _drop_stale(self) -> None:
        """Drop what the bot wrote while it was not asked, up to the bound."""
        dropped = 0
        with suppress(BlockingIOError):
            while dropped < MAX_STALE_BYTES:
                chunk = os.read(self._output_fd, MAX_STALE_BYTES - dropped)
                if not chunk:
                    return
                dropped += len(chunk)

    def _serve(self, fd: int, stream: _Stream) -> None:
        """Handle what is neither the bot's output nor its input nor its end."""
        match stream:
            case _Stream.ERRORS:
                if not self._drain_errors(_CHUNK_BYTES):
                    self._poll.unregister(fd)
            case _Stream.OTHER_ERRORS:
                assert self._other is not None
                if not self._other._drain_errors(_CHUNK_BYTES):
                    self._poll.unregister(fd)
            case _Stream.CONTROL:
                raise Withdrawn
            case _:
                raise AssertionError(stream)

    def _drain_errors(self, limit_bytes: int) -> bool:
        """Read what stands in stderr; False when it was closed."""
        left = limit_bytes
        try:
            while left > 0:
                chunk = os.read(self._errors_fd, min(left, _CHUNK_BYTES))
                if not chunk:
                    return False
                self._errors.write(chunk)
                if self._trace is not None:
                    self._trace_lines("!", chunk)
                left -= len(chunk)
        except BlockingIOError:
            pass
        return True

    def _how_it_ended(self) -> str:
        """Say how the bot ended, waiting shortly for its exit status, and read its last words."""
        waiter = select.poll()
        waiter.register(self._exit_fd, select.POLLIN)
        has_ended = bool(waiter.poll(_EXIT_STATUS_WAIT_MS))
        self._drain_errors(_MAX_FINAL_STDERR_BYTES)
        if not has_ended:
            return "closed its output"
        status = os.waitid(os.P_PIDFD, self._exit_fd, os.WEXITED | os.WNOWAIT)
        if status is None:
            return "ended"
        if status.si_code == os.CLD_EXITED:
            return f"exited with code {status.si_status}"
        with suppress(ValueError):
            return f"was ended by {signal.Signals(status.si_status).name}"
        return f"was ended by signal {status.si_status}"

    def _trace_lines(self, direction: str, text: bytes) -> None:
        assert self._trace is not None
        for line in text.splitlines():
            self._trace(self.name, direction, line)

    # Outside its turns

    def converse(self, request: bytes, last_line: bytes, limit_ms: int) -> list[bytes]:
        """Send lines and return the lines that come until ``last_line`` comes.

        Raises BotFailure when the bot ends, floods or is silent beyond the limit.
        """
        if self._stale_poll.poll(0):
            self._drop_stale()
        self._splitter.clear()
        lines: list[bytes] = []
        received = 0
        if self._trace is not None:
            self._trace_lines(">", request)
        deadline_ns = time.monotonic_ns() + limit_ms * 1_000_000
        pending = self._write(request)
        asked = request.split(b"\n")[-2].decode()
        while True:
            left_ns = deadline_ns - time.monotonic_ns()
            if left_ns < 0:
                wanted = last_line.decode()
                raise self._failure(f"did not answer {asked!r} with {wanted!r} in {limit_ms} ms")
            for fd, _ in self._poll.poll(left_ns / 1e6):
                match self._streams[fd]:
                    case _Stream.OUTPUT:
                        try:
                            chunk = os.read(fd, _CHUNK_BYTES)
                        except BlockingIOError:
                            continue
                        if not chunk:
                            raise self._failure(f"{self._how_it_ended()} at {asked!r}")
                        received += len(chunk)
                        for line in self._splitter.feed(chunk):
                            if self._trace is not None:
                                self._trace(self.name, "<", line)
                            if line.strip() == last_line:
                                return lines
                            if len(lines) < _MAX_CONVERSATION_LINES:
                                lines.append(line)
                        if received > MAX_REPLY_BYTES:
                            raise self._failure(f"wrote {received} bytes at {asked!r}")
                    case _Stream.INPUT:
                        pending = self._write(pending)
                    case _Stream.EXIT:
                        if not self._stale_poll.poll(0):
                            raise self._failure(f"{self._how_it_ended()} at {asked!r}")
                    case stream:
                        self._serve(fd, stream)

    def tell(self, request: bytes) -> None:
        """Send lines that have no answer, as far as the pipe takes them at once."""
        if self._trace is not None:
            self._trace_lines(">", request)
        if self._write(request):
            raise self._failure("does not read its input")

    def _failure(self, why: str) -> BotFailure:
        self.is_faulty = True
        self._drain_errors(_MAX_FINAL_STDERR_BYTES)
        last_words = [line for line in self._errors.text().splitlines() if line.strip()]
        if last_words:
            why = f"{why}; its last words: {last_words[-1].strip()[:200]}"
        return BotFailure(self.name, why)

    # The end

    def kill(self) -> None:
        """End the bot and its process group at once and reap it; safe to call twice."""
        if self._is_closed:
            return
        self._is_closed = True
        # The unreaped leader keeps the number of the group from being given to another.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        os.close(self._exit_fd)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone or was killed."""
        if self._is_closed:
            return True
        waiter = select.poll()
        waiter.register(self._exit_fd, select.POLLIN)
        return bool(waiter.poll(0))

    def _say_quit(self) -> None:
        with suppress(OSError):
            os.write(self._input_fd, b"quit\n")
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def _terminate(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGTERM)


def held_or_exited(held: Answer | None, how: str, elapsed_ns: int) -> Reply:
    """Return the reply of a bot that ended: a verbatim repeat before the end is no answer."""
    return Exited(how if held is None else f"{how} after repeating its last answer", elapsed_ns)


def dismiss(bots: Sequence[BotProcess], grace_ms: int | None = None) -> None:
    """Let bots go, all together: quit, end of input, grace, SIGTERM, SIGKILL to the group, reap.

    ``grace_ms`` None means the longest goodbye limit of the bots.
    """
    alive = [bot for bot in bots if not bot._is_closed]
    if grace_ms is None:
        grace_ms = max((bot.definition.limits.goodbye_ms for bot in alive), default=0)
    for bot in alive:
        bot._say_quit()
    _wait_for_ends(alive, grace_ms)
    late = [bot for bot in alive if not bot.has_ended]
    for bot in late:
        bot._terminate()
    _wait_for_ends(late, _TERMINATE_WAIT_MS)
    for bot in alive:
        bot.kill()


def _wait_for_ends(bots: Sequence[BotProcess], limit_ms: int) -> None:
    """Wait until all have ended, reading what they still write so that no pipe blocks them."""
    poll = select.poll()
    exits = {bot._exit_fd: bot for bot in bots}
    for bot in bots:
        for fd in (bot._exit_fd, bot._output_fd, bot._errors_fd):
            poll.register(fd, select.POLLIN)
    deadline_ns = time.monotonic_ns() + limit_ms * 1_000_000
    while exits:
        left_ns = deadline_ns - time.monotonic_ns()
        if left_ns < 0:
            return
        for fd, _ in poll.poll(left_ns / 1e6):
            if fd in exits:
                del exits[fd]
                poll.unregister(fd)
                continue
            try:
                is_open = bool(os.read(fd, _CHUNK_BYTES))
            except BlockingIOError:
                is_open = True
            if not is_open:
                poll.unregister(fd)


def dialect_words(protocol: BotProtocol) -> tuple[bytes, bytes, bytes]:
    """Return the words of a dialect for greeting, end of greeting and new game."""
    if protocol is BotProtocol.UCI:
        return b"uci", b"uciok", b"ucinewgame"
    return b"ugi", b"ugiok", b"uginewgame"
