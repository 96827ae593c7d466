"""What the steps share: the bot that is running now, and what is known of it so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from harness.play.bot_definition import BotDefinition, Pondering
from harness.play.clock import NS_PER_MS, TimeControl
from harness.play.types import Opening
from harness.process.bot_process import BotFailure
from harness.process.conformance.candidate import Candidate
from harness.process.conformance.patience import Patience
from harness.process.conformance.report import StepEnded, failed
from harness.process.conformance.transcript import Transcript
from harness.process.greeting import Greeting, configure, greet
from harness.rules.types import Move, RuleSet

DEFAULT_CONTROL: Final = "2+0.02"
_MOVES_OF_A_CLOCK: Final = 10
_NODES: Final = 50
_DEPTH: Final = 1


@dataclass(frozen=True, slots=True)
class Pace:
    """The limits that the forms of ``go`` are tried with, made to fit one time control.

    ``effort_ms`` is how long a bot may take for ``nodes`` or ``depth`` alone.
    """

    base_ms: int
    increment_ms: int
    move_ms: int
    nodes: int
    depth: int
    effort_ms: int

    @classmethod
    def of(cls, control: TimeControl, patience: Patience) -> Pace:
        """Return the pace of a time control; a tenth of the clock is the time for a move."""
        default = TimeControl.parse(DEFAULT_CONTROL)
        move_ns, base_ns = control.move_time_ns, control.base_ns
        if base_ns is None:
            base_ns = default.base_ns if move_ns is None else move_ns * _MOVES_OF_A_CLOCK
        assert base_ns is not None
        move_ms = max(
            1, (base_ns // _MOVES_OF_A_CLOCK if move_ns is None else move_ns) // NS_PER_MS
        )
        base_ms = max(1, base_ns // NS_PER_MS)
        return cls(
            base_ms=base_ms,
            increment_ms=control.increment_ms or max(1, base_ms // 100),
            move_ms=move_ms,
            nodes=control.nodes or _NODES,
            depth=control.depth or _DEPTH,
            effort_ms=max(base_ms, patience.effort_ms),
        )


class Bench:
    """Holds at most one running bot between steps; a step may ask for a new one.

    ``was_ready`` says that it answered ``isready``, ``failed_starts`` how often in a row it could
    not be started again. ``answers`` counts the moves that came, ``silences`` the requests that
    were not answered at all. ``effort`` is the limit without time that the bot understood, None
    where there is none; ``last_asked`` the game of the last request for a move;
    ``repeated_game`` moves that it played twice from the same seed.
    """

    def __init__(
        self,
        definition: BotDefinition,
        control: TimeControl,
        control_fd: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        # A bot that is stopped between its turns could not be watched there.
        self.definition = replace(definition, pondering=Pondering.IGNORE)
        self.control = control
        self.patience = patience or Patience()
        self.pace = Pace.of(control, self.patience)
        self.transcript = Transcript()
        self.greeting: Greeting | None = None
        self.was_ready = False
        self.failed_starts = 0
        self.answers = 0
        self.silences = 0
        self.effort: TimeControl | None = None
        self.last_asked: Opening | None = None
        self.repeated_game: tuple[Move, ...] | None = None
        self._control_fd = control_fd
        self._running: list[Candidate] = []

    def current(self) -> Candidate:
        """Return the bot that was started first, greeted or not; raises BotFailure."""
        return self._running[0] if self._running else self._start()

    def _start(self) -> Candidate:
        bot = Candidate(self.definition, self.transcript, self._control_fd, self.patience)
        self._running.append(bot)
        return bot

    def another(self) -> Candidate:
        """Start the bot beside those that run, greet it and set its options."""
        try:
            bot = self._start()
            bot.greeting = greet(bot.process)
            configure(bot.process, bot.greeting, RuleSet())
        except BotFailure as failure:
            self.failed_starts += 1
            raise StepEnded(
                failed(
                    f"could not be started again: {failure.why}",
                    "It did start before: look for files, ports or locks that an earlier "
                    "process of it left behind.",
                )
            ) from failure
        self.failed_starts = 0
        return bot

    def ready(self) -> Candidate:
        """Return the bot that runs, greeted and with its options set; a new one if need be."""
        if self._running and (self._running[0].has_ended or self._running[0].greeting is None):
            self.discard()
        return self._running[0] if self._running else self.another()

    def fresh(self) -> Candidate:
        """Return a new process, greeted and with its options set; those before are let go."""
        self.let_go()
        return self.another()

    def note_errors(self) -> None:
        """Write what came on stderr into the transcript."""
        for bot in self._running:
            bot.note_errors()

    def keep_one(self) -> None:
        """Let all go but the one that was started first."""
        for bot in self._running[1:]:
            bot.let_go()
        del self._running[1:]

    def let_go(self) -> None:
        """Let all that run go politely."""
        for bot in self._running:
            bot.let_go()
        self._running.clear()

    def discard(self) -> None:
        """End all that run at once."""
        for bot in self._running:
            bot.kill()
        self._running.clear()
