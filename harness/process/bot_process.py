"""A bot as a process: the real transport, one deadline a request, bounds on all it reads."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Final

from harness.play.bot_definition import BotDefinition, Pondering, Sandbox
from harness.play.score import has_score
from harness.play.types import Answer, Ask, Exited, Overflowed, Reply, TimedOut
from harness.process.containment import Containment
from harness.process.guard import Guard
from harness.process.journal import Journal
from harness.process.lateness import Lateness, ThreadTimes
from harness.process.launch import MACHINE_ERRORS, LaunchError, launch
from harness.process.lookout import LOOK_NS, Lookout, is_stall
from harness.process.meter import SHORT_NS
from harness.process.pipes import CHUNK_BYTES, AttemptLost, BotPipes, Stream, Trace
from harness.rules.notation import WIRE

MAX_REPLY_BYTES: Final = 16 * 1024 * 1024
_MAX_CONVERSATION_LINES: Final = 10_000
_MAX_INFO_BYTES: Final = 1024
_MAX_POLL_EVENTS: Final = 12  # more than is watched; without a bound room for a thousand is made
_LOOK_SECONDS: Final = LOOK_NS / 1e9
_now_ns: Final = time.monotonic_ns
_read: Final = os.read
_new: Final = tuple.__new__  # of a named tuple, half of what its own constructor costs


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
                begins_always=definition.pondering is Pondering.SUSPEND,
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
        self.lookout = Lookout((self.guard,), housekeeping)
        self._other: BotProcess | None = None
        self._times = ThreadTimes()
        self._idle_since_ns = time.monotonic_ns()
        self._meter = self.guard.meter
        # What is done in few steps is neither traced nor suspended.
        is_watched_closely = trace is not None or self.guard.suspends
        self._usual_answers = frozenset() if is_watched_closely else _usual_answers()

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

    def begin_count(self, lateness: Lateness, *, has_long_turns: bool) -> None:
        """Begin to count its processor time and waits: what it took to get ready is in no turn.

        Without ``has_long_turns`` none is expected: if one comes, the first one is not measured.
        """
        self.guard.begin_count(is_first=self._start_journal is not None)
        if not self._times.is_known:  # the tree is known only now
            self._times = ThreadTimes.of_bot(self.guard.tree.process_ids, self.definition.sandbox)
        self.lookout.lateness = lateness
        if has_long_turns:
            lateness.turn_begins(self._times)

    def watch(self, other: BotProcess | None) -> None:
        """Mind this bot alone from now on, or it and its opponent, whichever of them is asked."""
        if other is not None and self.is_watching(other):
            return
        self._other = other
        self.pipes.watch(None if other is None else other.pipes)
        guards = (self.guard,) if other is None else (self.guard, other.guard)
        self.lookout = Lookout(guards, self._housekeeping, self.lookout.lateness)
        if other is not None:
            other._other = self
            other.lookout = self.lookout

    def is_watching(self, other: BotProcess) -> bool:
        """Whether this bot and its opponent are minded together already."""
        return self._other is other and other._other is self

    def end_game(self) -> None:
        """Close the books of a game."""
        self.guard.end_count()
        # The last look may have been at its launch: what it holds then is not what it needs.
        is_first = self._start_journal is not None
        self._start_journal = None
        if is_first or self.lookout.is_due(time.monotonic_ns()):
            self.look()

    def look(self) -> None:
        """Look at this bot's processes and its opponent's, and keep house."""
        self.lookout.look()

    def ask(self, ask: Ask) -> Reply:
        """Send a request and wait for one ``bestmove`` line until the budget has run out."""
        # This is what every ply of a quick bot costs: its usual answer, one exact line in one
        # piece and in no time, is taken in few steps; everything else goes the long way.
        _, request, budget_ns, repeat, _ = ask
        pipes = self.pipes
        if pipes.needs_begin:
            self._begin(request)
        begun_ns = _now_ns()
        pause_ns = begun_ns - self._idle_since_ns
        if pause_ns >= SHORT_NS:
            begun_ns = self._after_pause(pause_ns, begun_ns)
        pending = pipes.write(request)
        wait_seconds = _LOOK_SECONDS if budget_ns >= LOOK_NS else budget_ns / 1e9
        events = pipes.poll.poll(wait_seconds, _MAX_POLL_EVENTS)
        came = None
        if events == pipes.output_alone:
            try:
                chunk = _read(pipes.output_fd, CHUNK_BYTES)
            except BlockingIOError:
                events = []
            else:
                now_ns = _now_ns()
                came = now_ns, chunk
                elapsed_ns = now_ns - begun_ns
                line = chunk[:-1]
                if chunk in self._usual_answers and elapsed_ns < SHORT_NS and line != repeat:
                    self.journal.add_exchange((begun_ns, now_ns, self.name, request, chunk))
                    self._idle_since_ns = now_ns
                    self._meter.short_turns_ns += elapsed_ns
                    return _new(Answer, (line, elapsed_ns, None))
        return self._ask_on(ask, begun_ns, pending, events, came)

    def _begin(self, request: bytes) -> None:
        self.guard.resume()
        self.pipes.begin(request)

    def _ask_on(
        self,
        ask: Ask,
        begun_ns: int,
        pending: bytes,
        events: list[tuple[int, int]],
        came: tuple[int, bytes] | None,
    ) -> Reply:
        """Go on with a turn after its first wait, and close it."""
        guard = self.guard
        self.journal.add((begun_ns, self.name, ">", ask.request))
        reply = self._await_reply(ask, begun_ns, pending, events, came)
        elapsed_ns = reply.elapsed_ns
        self._idle_since_ns = begun_ns + elapsed_ns
        if elapsed_ns < SHORT_NS:
            guard.meter.short_turns_ns += elapsed_ns
        else:
            lateness = self.lookout.lateness
            if lateness is not None:
                lateness.turn_ended(self._times, elapsed_ns, is_read=not guard.meter.short_turns_ns)
            guard.meter.moved(elapsed_ns)
        if guard.suspends:
            guard.pause()
        return reply

    def _after_pause(self, pause_ns: int, now_ns: int) -> int:
        """See to what the bot did while it was not asked; returns when its turn begins."""
        if self.lookout.is_due(now_ns):
            self.look()
        self.guard.meter.settle(pause_ns)
        self.pipes.drop_stale()
        lateness = self.lookout.lateness
        if lateness is not None:
            lateness.turn_begins(self._times)
        return _now_ns()  # what was looked at above is not the bot's time

    def _await_reply(
        self,
        ask: Ask,
        begun_ns: int,
        pending: bytes,
        events: list[tuple[int, int]],
        came: tuple[int, bytes] | None,
    ) -> Reply:
        """Go on waiting after the first wait, which gave ``events`` and what came, and when."""
        pipes = self.pipes
        pipes.splitter.clear()
        lookout = self.lookout
        note = self.journal.add
        output_fd = pipes.output_fd
        info: bytes | None = None
        held: Answer | None = None
        received = 0
        has_exited = False
        was_late = False
        seen_ns = begun_ns
        budget_ns = ask.budget_ns
        wait_ns = min(budget_ns, LOOK_NS)
        while True:
            # Its output last: an answer ends the turn, and nothing else must be passed over.
            for fd, _ in events if len(events) == 1 else sorted(events, key=pipes.is_output):
                if fd == output_fd:
                    if came is None:
                        try:
                            chunk = _read(output_fd, CHUNK_BYTES)
                        except BlockingIOError:
                            continue
                        now_ns = _now_ns()
                    else:
                        (now_ns, chunk), came = came, None
                    elapsed_ns = now_ns - begun_ns
                    gap_ns = now_ns - seen_ns
                    is_late = elapsed_ns > budget_ns
                    if is_stall(gap_ns, wait_ns, is_late=is_late):
                        begun_ns += lookout.excused_ns(seen_ns, wait_ns)
                        seen_ns = lookout.looked_ns
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
                return self._exited(held, time.monotonic_ns() - begun_ns)
            now_ns = time.monotonic_ns()
            gap_ns = now_ns - seen_ns
            is_late = now_ns - begun_ns > budget_ns
            if is_stall(gap_ns, wait_ns, is_late=is_late):
                begun_ns += lookout.excused_ns(seen_ns, wait_ns)
                seen_ns = lookout.looked_ns
                wait_ns = 0
            elif is_late and not was_late and pipes.output_poll.poll(0):
                was_late = True  # what came while this process did not run is looked at first
                seen_ns = now_ns
                wait_ns = 0
            elif is_late:
                return TimedOut(now_ns - begun_ns) if held is None else held
            else:
                if lookout.is_due(now_ns):
                    lookout.look()
                    begun_ns += lookout.looked_ns - now_ns  # looking is not the bot's time
                    now_ns = lookout.looked_ns
                seen_ns = now_ns
                wait_ns = min(begun_ns + budget_ns - now_ns, LOOK_NS)
            events = pipes.poll.poll(wait_ns / 1e9, _MAX_POLL_EVENTS)

    def converse(self, request: bytes, last_line: bytes, limit_ms: int) -> list[bytes]:
        """Send lines and return the lines that come until ``last_line`` comes.

        Raises BotFailure when the bot ends, floods or is silent beyond the limit.
        """
        pipes = self.pipes
        lines: list[bytes] = []
        received = 0
        self.guard.resume()
        pipes.begin(request)
        seen_ns = time.monotonic_ns()
        deadline_ns = seen_ns + limit_ms * 1_000_000
        pending = pipes.write(request)
        self.journal.add((seen_ns, self.name, ">", request))
        while (left_ns := deadline_ns - (now_ns := time.monotonic_ns())) >= 0:
            if self.lookout.is_due(now_ns):
                self.look()
            events = pipes.poll.poll(min(left_ns, LOOK_NS) / 1e9, _MAX_POLL_EVENTS)
            for fd, _ in events if len(events) == 1 else sorted(events, key=pipes.is_output):
                match pipes.streams[fd]:
                    case Stream.OUTPUT:
                        try:
                            chunk = os.read(fd, CHUNK_BYTES)
                        except BlockingIOError:
                            continue
                        if not chunk:
                            raise self._failure(f"{self._how_it_ended()} at {_asked(request)!r}")
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
                            raise self._failure(f"wrote {received} bytes at {_asked(request)!r}")
                    case Stream.INPUT:
                        pending = pipes.write(pending)
                    case Stream.EXIT:
                        if not pipes.output_poll.poll(0):
                            raise self._failure(f"{self._how_it_ended()} at {_asked(request)!r}")
                    case stream:
                        pipes.serve(fd, stream)
            stall_ns = time.monotonic_ns() - now_ns - LOOK_NS
            if is_stall(stall_ns, 0, is_late=False):
                deadline_ns += stall_ns  # no clock runs: the time that was lost is given back
        wanted = last_line.decode()
        raise self._failure(f"did not answer {_asked(request)!r} with {wanted!r} in {limit_ms} ms")

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
        self.guard.is_over = True
        # The unreaped leader keeps the number of the group from being given to another.
        self.guard.tree.refresh()
        self.guard.kill()
        self._process.kill()
        self._process.wait()
        self.pipes.close()
        self._times.close()
        if self._other is not None:
            self._other._other = None
            self._other = None


def _asked(request: bytes) -> str:
    """Return the last line of a request."""
    return request.split(b"\n")[-2].decode()


@cache
def _usual_answers() -> frozenset[bytes]:
    """Return the answers that are an exact move and nothing else, whole lines."""
    return frozenset(b"bestmove %b\n" % move for move in WIRE)


def _hides_score(info: bytes | None, line: bytes) -> bool:
    """Whether an ``info`` line without a score would take the place of one that has it."""
    return info is not None and has_score(info) and not has_score(line)
