"""The pipes of one bot and everything that is watched while it is waited for."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import Final

from harness.process.lines import LineSplitter
from harness.process.tail import Tail
from harness.visible_text import with_hidden_replaced

CHUNK_BYTES: Final = 64 * 1024
MAX_STALE_BYTES: Final = 64 * 1024
_EXIT_STATUS_WAIT_MS: Final = 200
_MAX_FINAL_STDERR_BYTES: Final = 1024 * 1024
_MAX_LAST_WORDS: Final = 200
_SHELL_SIGNAL_BASE: Final = 128
_SHELL_SIGNAL_END: Final = 128 + 65

Trace = Callable[[str, str, bytes], None]
"""Called with the bot's name, ``>`` (to the bot), ``<`` (from it) or ``!`` (stderr), and a line."""


def printable_words(text: str) -> str:
    """Return a bot's text so that it can be shown: no escape codes, no line breaks."""
    return with_hidden_replaced(text, lambda _: "\N{REPLACEMENT CHARACTER}")


def last_line(text: str, max_characters: int) -> str:
    """Return the begin of the last line of a bot's text that is not blank, to be shown."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return printable_words(lines[-1][:max_characters]) if lines else ""


class Withdrawn(Exception):  # noqa: N818 - a message to the slot, not an error
    """The run wants the slot back: the game that is played has no result."""


class AttemptLost(Exception):  # noqa: N818 - a message to the slot, not an error
    """The machine failed, not a bot: the game that is played has no result and comes again."""


class Stream(Enum):
    """What a watched descriptor is to the bot that is waited for."""

    OUTPUT = 0
    ERRORS = 1
    EXIT = 2
    INPUT = 3
    CONTROL = 4
    OTHER_OUTPUT = 5
    OTHER_ERRORS = 6
    OTHER_EXIT = 7
    OTHER_INPUT = 8


class BotPipes:
    """Non-blocking ends of a bot's three pipes, its pidfd, and one poll over all of them.

    ``control_fd`` becomes readable when the run wants the slot back. ``poll`` gives descriptors
    whose meaning is in ``streams``; ``output_alone`` is what it gives when the bot has written
    and nothing else happened. ``needs_begin``: there may be something to do before a request is
    written; with ``begins_always`` there always is. ``passes_signals_on``: the program is a wrapper
    that exits with 128 + n when the bot was ended by signal n.
    """

    def __init__(
        self,
        name: str,
        process: subprocess.Popen[bytes],
        control_fd: int | None,
        trace: Trace | None,
        *,
        passes_signals_on: bool = False,
        begins_always: bool = False,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._name = name
        self._passes_signals_on = passes_signals_on
        # On a processor of its own the slot runs or the bot does: between the answer of the
        # opponent and its own request it writes nothing.
        is_shared = len(os.sched_getaffinity(0)) == 1
        self._begins_always = begins_always or trace is not None or not is_shared
        self._files = (process.stdin, process.stdout, process.stderr)
        self._control_fd = control_fd
        self.trace = trace
        self.input_fd = process.stdin.fileno()
        self.output_fd = process.stdout.fileno()
        self.errors_fd = process.stderr.fileno()
        for fd in (self.input_fd, self.output_fd, self.errors_fd):
            os.set_blocking(fd, False)
        self.exit_fd = os.pidfd_open(process.pid)
        self.splitter = LineSplitter()
        self.errors = Tail()
        self.output_poll = select.poll()
        self.output_poll.register(self.output_fd, select.POLLIN)
        self.output_alone = [(self.output_fd, select.EPOLLIN)]
        self.needs_begin = True
        self._muted: set[int] = set()
        self._other: BotPipes | None = None
        self._is_input_full = False
        self.streams: dict[int, Stream] = {}
        self.poll = select.epoll()
        self.watch(None)

    def watch(self, other: BotPipes | None) -> None:
        """Begin to watch anew: this bot alone, or from now on both bots of a game together."""
        poll = select.epoll()
        self._join(poll, other)
        if other is not None:
            other._join(poll, self)
        if self._control_fd is not None:
            poll.register(self._control_fd, select.EPOLLIN)

    def _join(self, poll: select.epoll, other: BotPipes | None) -> None:
        # The poll before is closed with its last user.
        self.poll = poll
        self._other = other
        self._is_input_full = False
        self._muted.clear()
        # Alone it is not watched while it is not asked.
        self.needs_begin = other is None or self._begins_always
        self.streams = {
            self.output_fd: Stream.OUTPUT,
            self.errors_fd: Stream.ERRORS,
            self.exit_fd: Stream.EXIT,
            self.input_fd: Stream.INPUT,
        }
        for fd in (self.output_fd, self.errors_fd, self.exit_fd):
            poll.register(fd, select.EPOLLIN)
        if other is not None:
            self.streams |= {
                other.output_fd: Stream.OTHER_OUTPUT,
                other.errors_fd: Stream.OTHER_ERRORS,
                other.exit_fd: Stream.OTHER_EXIT,
                other.input_fd: Stream.OTHER_INPUT,
            }
        if self._control_fd is not None:
            self.streams[self._control_fd] = Stream.CONTROL

    def begin(self, request: bytes) -> None:
        """Forget what the bot wrote while it was not asked; trace what it is going to be sent."""
        self.splitter.clear()
        if self.output_poll.poll(0):
            self.drop_stale()
        for fd in self._muted:
            self.poll.register(fd, select.EPOLLIN)
        self._muted.clear()
        self.needs_begin = self._other is None or self._begins_always
        if self.trace is not None:
            self.trace_lines(">", request)

    def is_output(self, event: tuple[int, int]) -> bool:
        """Whether an event of ``poll`` says that this bot has written."""
        return event[0] == self.output_fd

    def _mute(self, fd: int) -> None:
        """Watch no longer, until ``begin``, what is of no interest before."""
        self.poll.unregister(fd)
        self._muted.add(fd)
        self.needs_begin = True

    def write(self, request: bytes) -> bytes:
        """Write what the pipe takes; return the rest and watch for room when there is one."""
        try:
            written = os.write(self.input_fd, request)
            if written == len(request) and not self._is_input_full:
                return b""
        except BlockingIOError:
            written = 0
        except OSError:
            # The bot closed its input or is gone: whatever is wrong shows in its output.
            written = len(request)
        rest = request[written:]
        was_full, self._is_input_full = self._is_input_full, bool(rest)
        if rest and not was_full:
            self.poll.register(self.input_fd, select.EPOLLOUT)
        elif was_full and not rest:
            self.poll.unregister(self.input_fd)
        return rest

    def _give_up_writing(self) -> None:
        """Watch no longer for room for the rest of a request that was answered before its end."""
        self._is_input_full = False
        self.poll.unregister(self.input_fd)

    def serve(self, fd: int, stream: Stream) -> None:
        """Handle what is neither the bot's output nor its input nor its end."""
        other = self._other
        match stream:
            case Stream.CONTROL:
                raise Withdrawn
            case Stream.ERRORS:
                if not self.drain_errors():
                    self.poll.unregister(fd)
                return
        assert other is not None
        match stream:
            case Stream.OTHER_ERRORS:
                if not other.drain_errors():
                    self.poll.unregister(fd)
            case Stream.OTHER_OUTPUT | Stream.OTHER_EXIT:
                other._mute(fd)
            case Stream.OTHER_INPUT:
                other._give_up_writing()
            case _:
                raise AssertionError(stream)

    def drain_errors(self, limit_bytes: int = CHUNK_BYTES) -> bool:
        """Read what stands in stderr; False when it was closed."""
        left = limit_bytes
        try:
            while left > 0:
                chunk = os.read(self.errors_fd, min(left, CHUNK_BYTES))
                if not chunk:
                    return False
                self.errors.write(chunk)
                if self.trace is not None:
                    self.trace_lines("!", chunk)
                left -= len(chunk)
        except BlockingIOError:
            pass
        return True

    def last_words(self) -> str:
        """Return the last line of stderr that is not empty, after reading what is left of it.

        It goes into messages and logs: what is no printable character becomes U+FFFD.
        """
        self.drain_errors(_MAX_FINAL_STDERR_BYTES)
        return last_line(self.errors.text(), _MAX_LAST_WORDS)

    def has_ended(self, wait_ms: int = 0) -> bool:
        """Whether the process is gone, reaped or not; waits at most so long for it."""
        waiter = select.poll()
        waiter.register(self.exit_fd, select.POLLIN)
        return bool(waiter.poll(wait_ms))

    def how_it_ended(self) -> str:
        """Say how the bot ended, waiting shortly for its exit status, and read its last words."""
        has_ended = self.has_ended(_EXIT_STATUS_WAIT_MS)
        self.drain_errors(_MAX_FINAL_STDERR_BYTES)
        if not has_ended:
            return "closed its output"
        code = self.exit_code()
        if code >= 0:
            return f"exited with code {code}"
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
        return f"was ended by signal {-code}"

    def exit_code(self) -> int:
        """Return the exit code of a bot that ended, a signal that ended it as a negative number."""
        status = os.waitid(os.P_PIDFD, self.exit_fd, os.WEXITED | os.WNOWAIT)
        assert status is not None
        code: int = status.si_status
        if status.si_code != os.CLD_EXITED:
            return -code
        is_signal = self._passes_signals_on and _SHELL_SIGNAL_BASE < code < _SHELL_SIGNAL_END
        return _SHELL_SIGNAL_BASE - code if is_signal else code

    def trace_lines(self, direction: str, text: bytes) -> None:
        """Show every line of a text to the tracer."""
        assert self.trace is not None
        for line in text.splitlines():
            self.trace(self._name, direction, line)

    def say_quit(self) -> None:
        """Ask the bot to leave, and close its input."""
        with suppress(OSError):
            os.write(self.input_fd, b"quit\n")
        with suppress(OSError):
            self._files[0].close()

    def close(self) -> None:
        """Close all of it, and leave the other bot alone: neither holds what both watched."""
        if self._other is not None:
            self._other._other = None
            self._other.needs_begin = True
            self._other = None
        os.close(self.exit_fd)
        for file in self._files:
            with suppress(OSError):
                file.close()

    def drop_stale(self) -> None:
        """Drop what the bot wrote while it was not asked, up to the bound; the rest counts."""
        dropped = 0
        with suppress(BlockingIOError):
            while dropped < MAX_STALE_BYTES:
                chunk = os.read(self.output_fd, MAX_STALE_BYTES - dropped)
                if not chunk:
                    return
                dropped += len(chunk)
