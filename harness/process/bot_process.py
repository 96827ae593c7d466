"""A bot as a process: the real transport, one deadline a request, bounds on all it reads."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from harness.play.bot_definition import BotDefinition, Sandbox
from harness.play.score import has_score
from harness.play.types import Answer, Ask, Exited, Overflowed, Reply, TimedOut
from harness.process.containment import Containment
from harness.process.guard import Guard
from harness.process.journal import Journal
from harness.process.launch import MACHINE_ERRORS, LaunchError, launch
from harness.process.meter import SHORT_NS
from harness.process.pipes import CHUNK_BYTES, AttemptLost, BotPipes, Stream, Trace
from harness.process.process_tree import run_delay_ns

MAX_REPLY_BYTES: Final = 16 * 1024 * 1024
_MAX_CONVERSATION_LINES: Final = 10_000
_MAX_INFO_BYTES: Final = 1024
_MAX_POLL_EVENTS: Final = 8  # all that is watched; without a bound room for a thousand is made
_LOOK_NS: Final = 100_000_000
_STALL_NS: Final = 600_000_000
"""No wait is longer than ``_LOOK_NS``: what took so much more was no wait."""
_SLACK_NS: Final = 20_000_000
"""A wait that ended so much later than it should is no proof that a bot was late."""


class BotFailure(Exception):  # noqa: N818 - a bot's misbehaviour outside its turns
    """A bot cannot be started, greeted or made ready; ``why`` says it in one line."""

    def __init__(self, bot: str, why: str) -> None:
        super().__init__(bot, why)
        self.bot = bot
        self.why = why


class BotProcess:
    """One running bot. Created by starting it; BotFailure when that is not possible.

    It is AttemptLost where the machine has no room for one more process. Every wait ends with
    Withdrawn when ``control_fd`` becomes readable, and with AttemptLost when this process itself
    was stopped for so long that a bot's time cannot be told. ``housekeeping`` is called now and
    then while the bot is waited for, ``containment`` is what this process lives in. ``is_faulty``
    says that the process must not be used again.
    """

    def __init__(
        self,
        definition: BotDefinition,
        control_fd: int | None = None,
        trace: Trace | None = None,
        housekeeping: Callable[[], None] | None = None,
        containment: Containment = Containment.PROCESS_GROUP,
    ) -> None:
        self.definition = definition
        self.name = definition.name
        try:
            self._process = launch(definition, containment)
        except LaunchError as error:
            raise BotFailure(self.name, str(error)) from error
        try:
            self.pipes = BotPipes(
                self.name,
                self._process,
                control_fd,
                trace,
                passes_signals_on=definition.sandbox is Sandbox.BWRAP,
            )
            self.guard = Guard(definition, self._process.pid)
        except BaseException as error:
            with self._process:  # closes its pipes and waits for it
                self._process.kill()
            if isinstance(error, OSError) and error.errno in MACHINE_ERRORS:
                raise AttemptLost(f"{self.name} could not be watched: {error}") from error
            raise
        self._start_journal: Journal | None = Journal(is_whole=True)
        self.journal = self._start_journal
        self.is_faulty = False
        self.is_closed = False
        self._housekeeping = housekeeping
        self._other: BotProcess | None = None
        self._looked_ns = 0
        self._delay_ns = 0
        self._idle_since_ns = time.monotonic_ns()

    @property
    def process_id(self) -> int:
        """The process number of the bot."""
        return self._process.pid

    @property
    def errors_text(self) -> str:
        """The tail of what the bot wrote to stderr since ``begin_game``."""
        self.pipes.drain_errors()
        return self.pipes.errors.text()

    @property
    def was_killed_from_outside(self) -> bool:
        """Whether SIGKILL ended the bot and it was not this process that sent it."""
        if self.is_closed or self.guard.condemned or not self.pipes.has_ended():
            return False
        return self.pipes.exit_code() == -signal.SIGKILL

    def begin_game(self, journal: Journal) -> None:
        """Begin new books: a game's record holds what belongs to that game only."""
        self.pipes.drain_errors()
        if self._start_journal is None:
            self.pipes.errors.clear()
        else:
            journal.include(self._start_journal)  # its first game is when it was started
        self.journal = journal

    def begin_count(self) -> None:
        """Begin to count its processor time: what it used to get ready is in no turn."""
        self.guard.begin_count(is_first=self._start_journal is not None)

    def watch(self, other: BotProcess | None) -> None:
        """Mind this bot's opponent too while this bot is asked: its stderr and its limits."""
        if other is not self._other:
            self._other = other
            self.pipes.watch(None if other is None else other.pipes)

    def is_watching(self, other: BotProcess) -> bool:
        """Whether this bot's opponent is watched already."""
        return self._other is other

    def end_game(self) -> None:
        """Close the books of a game."""
        self.guard.meter.settle()
        # The last look may have been at its launch: what it holds then is not what it needs.
        is_first = self._start_journal is not None
        self._start_journal = None
        if is_first or time.monotonic_ns() - self._looked_ns > _LOOK_NS:
            self.look()

    def look(self) -> None:
        """Look at this bot's processes and its opponent's, and keep house."""
        self.guard.look()
        other = self._other
        if other is not None and not other.is_closed:
            other.guard.look()
        if self._housekeeping is not None:
            self._housekeeping()
        self._looked_ns = time.monotonic_ns()
        self._delay_ns = run_delay_ns()
        if other is not None:
            other._looked_ns, other._delay_ns = self._looked_ns, self._delay_ns

    def ask(self, ask: Ask) -> Reply:
        """Send a request and wait for one ``bestmove`` line until the budget has run out."""
        guard = self.guard
        if guard.is_paused:
            guard.resume()
        self.pipes.begin(ask.request)
        begun_ns = time.monotonic_ns()
        pause_ns = begun_ns - self._idle_since_ns
        if pause_ns >= SHORT_NS:
            if begun_ns - self._looked_ns > _LOOK_NS:
                self.look()
            guard.meter.settle(pause_ns)
            self.pipes.drop_stale()  # what it wrote meanwhile
            begun_ns = time.monotonic_ns()  # what was looked at above is not the bot's time
        reply = self._await_reply(ask, begun_ns)
        elapsed_ns = reply.elapsed_ns
        self._idle_since_ns = begun_ns + elapsed_ns
        guard.meter.moved(elapsed_ns)
        if guard.suspends:
            guard.pause()
        return reply

    def _await_reply(self, ask: Ask, begun_ns: int) -> Reply:
        pipes = self.pipes
        note = self.journal.add
        output_fd = pipes.output_fd
        info: bytes | None = None
        held: Answer | None = None
        received = 0
        has_exited = False
        was_late = False
        seen_ns = begun_ns
        pending = pipes.write(ask.request)
        note((begun_ns, self.name, ">", ask.request))
        budget_ns = ask.budget_ns
        wait_ns = min(budget_ns, _LOOK_NS)
        while True:
            for fd, _ in pipes.poll.poll(wait_ns / 1e9, _MAX_POLL_EVENTS):
                if fd == output_fd:
                    try:
                        chunk = os.read(output_fd, CHUNK_BYTES)
                    except BlockingIOError:
                        continue
                    now_ns = time.monotonic_ns()
                    elapsed_ns = now_ns - begun_ns
                    gap_ns = now_ns - seen_ns
                    is_late = elapsed_ns > budget_ns
                    if gap_ns > _STALL_NS or (is_late and gap_ns > wait_ns + _SLACK_NS):
                        begun_ns += self._excused_ns(seen_ns, wait_ns)
                        seen_ns = self._looked_ns
                        elapsed_ns = max(0, now_ns - begun_ns)
                        if self.guard.condemned:
                            return self._exited(held, elapsed_ns)
                    if not chunk:
                        return self._exited(held, elapsed_ns)
                    note((now_ns, self.name, "<", chunk))
                    received += len(chunk)
                    for line in pipes.splitter.feed(chunk):
                        if pipes.trace is not None:
                            pipes.trace(self.name, "<", line)
                        if line.startswith(b"bestmove") and line[8:9] in (b" ", b"", b"\t"):
                            answer = tuple.__new__(Answer, (line, elapsed_ns, info))  # once a ply
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
                return self._exited(held, time.monotonic_ns() - begun_ns)
            now_ns = time.monotonic_ns()
            gap_ns = now_ns - seen_ns
            is_late = now_ns - begun_ns > budget_ns
            if gap_ns > _STALL_NS or (is_late and gap_ns > wait_ns + _SLACK_NS):
                begun_ns += self._excused_ns(seen_ns, wait_ns)
                seen_ns = self._looked_ns
                continue
            if is_late and not was_late and pipes.output_poll.poll(0):
                was_late = True  # what came while this process did not run is looked at first
                continue
            if is_late:
                return TimedOut(now_ns - begun_ns) if held is None else held
            if now_ns - self._looked_ns > _LOOK_NS:
                self.look()
                begun_ns += self._looked_ns - now_ns  # looking is not the bot's time
                now_ns = self._looked_ns
            seen_ns = now_ns
            wait_ns = min(begun_ns + budget_ns - now_ns, _LOOK_NS)

    def converse(self, request: bytes, last_line: bytes, limit_ms: int) -> list[bytes]:
        """Send lines and return the lines that come until ``last_line`` comes.

        Raises BotFailure when the bot ends, floods or is silent beyond the limit.
        """
        pipes = self.pipes
        lines: list[bytes] = []
        received = 0
        asked = request.split(b"\n")[-2].decode()
        self.guard.resume()
        pipes.begin(request)
        seen_ns = time.monotonic_ns()
        deadline_ns = seen_ns + limit_ms * 1_000_000
        pending = pipes.write(request)
        self.journal.add((seen_ns, self.name, ">", request))
        while (left_ns := deadline_ns - (now_ns := time.monotonic_ns())) >= 0:
            if now_ns - self._looked_ns > _LOOK_NS:
                self.look()
            for fd, _ in pipes.poll.poll(min(left_ns, _LOOK_NS) / 1e9, _MAX_POLL_EVENTS):
                match pipes.streams[fd]:
                    case Stream.OUTPUT:
                        try:
                            chunk = os.read(fd, CHUNK_BYTES)
                        except BlockingIOError:
                            continue
                        if not chunk:
                            raise self._failure(f"{self._how_it_ended()} at {asked!r}")
                        self.journal.add((time.monotonic_ns(), self.name, "<", chunk))
                        received += len(chunk)
                        for line in pipes.splitter.feed(chunk):
                            if pipes.trace is not None:
                                pipes.trace(self.name, "<", line)
                            if line.strip() == last_line:
                                self.guard.pause()
                                self._idle_since_ns = time.monotonic_ns()
                                return lines
                            if len(lines) < _MAX_CONVERSATION_LINES:
                                lines.append(line)
                        if received > MAX_REPLY_BYTES:
                            raise self._failure(f"wrote {received} bytes at {asked!r}")
                    case Stream.INPUT:
                        pending = pipes.write(pending)
                    case Stream.EXIT:
                        if not pipes.output_poll.poll(0):
                            raise self._failure(f"{self._how_it_ended()} at {asked!r}")
                    case stream:
                        pipes.serve(fd, stream)
            stall_ns = time.monotonic_ns() - now_ns - _LOOK_NS
            if stall_ns > _STALL_NS:
                deadline_ns += stall_ns  # no clock runs: the time that was lost is given back
        wanted = last_line.decode()
        raise self._failure(f"did not answer {asked!r} with {wanted!r} in {limit_ms} ms")

    def _excused_ns(self, since_ns: int, wait_ns: int) -> int:
        """Return the time since then, which is not the asked bot's, after a look at both bots.

        A wait of ``wait_ns`` was meant to be in it. Raises AttemptLost unless one of them is found
        to have brought the machine to a halt.
        """
        stall_ns = time.monotonic_ns() - since_ns - wait_ns
        other = self._other
        # Not stopped but kept waiting for a processor: by whom, the processors' clocks say.
        starved_ns = run_delay_ns() - self._delay_ns
        for bot in (self, other):
            if bot is not None and not bot.is_closed:
                bot.guard.answer_for(stall_ns, starved_ns)
        self.look()
        if not (self.guard.condemned or (other is not None and other.guard.condemned)):
            raise AttemptLost(
                f"the harness or the machine was stopped for {stall_ns / 1e9:.1f} s while a clock "
                "ran"
            )
        return self._looked_ns - since_ns

    def _exited(self, held: Answer | None, elapsed_ns: int) -> Reply:
        """Return the reply of a bot that ended: a verbatim repeat before the end is no answer."""
        how = self._how_it_ended()
        return Exited(how if held is None else f"{how} after repeating its last answer", elapsed_ns)

    def _how_it_ended(self) -> str:
        how = self.pipes.how_it_ended()
        return self.guard.condemned or how

    def _failure(self, why: str) -> BotFailure:
        self.is_faulty = True
        last_words = self.pipes.last_words()
        return BotFailure(self.name, f"{why}; its last words: {last_words}" if last_words else why)

    def terminate(self) -> None:
        """Send SIGTERM to the bot and its process group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End the bot and its process group at once and reap it; safe to call twice."""
        if self.is_closed:
            return
        self.is_closed = True
        # The unreaped leader keeps the number of the group from being given to another.
        self.guard.tree.refresh()
        self.guard.kill()
        self._process.kill()
        self._process.wait()
        self.pipes.close()


def _hides_score(info: bytes | None, line: bytes) -> bool:
    """Whether an ``info`` line without a score would take the place of one that has it."""
    return info is not None and has_score(info) and not has_score(line)
