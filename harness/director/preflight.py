"""Preflight: every bot is there, speaks, and takes its options, before the first game."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from harness.errors import BotStartError, Problem, WorkerError
from harness.execution.base import Executor, Finished, Lost
from harness.play.bot_definition import BotDefinition, Sandbox
from harness.process.identity import bot_identity
from harness.process.jobs import Greeted, GreetJob
from harness.process.launch import LaunchError, find_program
from harness.process.sandbox import check_sandbox, refusal
from harness.rules.types import RuleSet

PATIENCE_SECONDS: Final = 2.0
SILENCE_HINT: Final = (
    "every line it writes must end with a newline and be flushed, and go to stdout, not stderr"
)
SANDBOX_HINT: Final = (
    "in the sandbox it sees the system, its own folder and what `read` names, and nothing else"
)
_WAIT_SECONDS: Final = 0.2
_MAX_LOSSES: Final = 10
_SILENT: Final = "did not answer"


def identities(bots: Sequence[BotDefinition]) -> dict[str, str]:
    """Return the identity of every bot by name.

    Raises BotStartError with every bot whose program does not exist or is not executable, or
    whose sandbox this machine refuses.
    """
    found: dict[str, str] = {}
    problems: list[Problem] = []
    refused = cache(refusal)
    for bot in bots:
        try:
            find_program(bot)
            if bot.sandbox is Sandbox.BWRAP:
                check_sandbox(bot, refused)
            found[bot.name] = bot_identity(bot)
        except LaunchError as error:
            problems.append(Problem(bot.name, str(error)))
    if problems:
        raise BotStartError(problems)
    return found


@dataclass(frozen=True, slots=True)
class Preflight:
    """What came of greeting all bots: warnings, and by name those that failed and why."""

    warnings: tuple[Problem, ...]
    set_aside: tuple[tuple[str, str], ...]


class _Patience:
    """Says of each bot that keeps one waiting that it does: once, from a thread of its own.

    An executor without processes of its own is busy until the bot has answered.
    """

    def __init__(self, tell: Callable[[str], None], seconds: float) -> None:
        self._tell = tell
        self._seconds = seconds
        self._timers: dict[str, threading.Timer] = {}

    def begin(self, bot: BotDefinition) -> None:
        self.end(bot.name)
        limit = bot.limits.start_ms / 1000
        text = (
            f"waiting for {bot.name}, which has not answered the greeting yet (it has {limit:g} s, "
            "then a second try)"
        )
        timer = threading.Timer(self._seconds, self._tell, [text])
        timer.daemon = True
        self._timers[bot.name] = timer
        timer.start()

    def end(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
            timer.join()

    def end_all(self) -> None:
        for name in list(self._timers):
            self.end(name)


def greet_all(
    bots: Sequence[BotDefinition],
    rules: RuleSet,
    executor: Executor,
    is_interrupted: Callable[[], bool],
    tell: Callable[[str], None] = lambda text: None,
    patience_seconds: float = PATIENCE_SECONDS,
) -> Preflight:
    """Start and greet every bot, in a worker.

    ``tell`` is called, from another thread, for each bot that is silent for longer than
    ``patience_seconds``. Raises BotStartError, naming all that is wrong with all bots, when one
    has a problem that a person has to mend; WorkerError when workers keep dying. Returns early
    when interrupted.
    """
    patience = _Patience(tell, patience_seconds)
    try:
        answers = _answers(bots, rules, executor, is_interrupted, patience)
    finally:
        patience.end_all()
    ordered = [answers[bot.name] for bot in bots if bot.name in answers]
    problems = [Problem(answer.bot, text) for answer in ordered for text in answer.problems]
    sandboxed = {bot.name for bot in bots if bot.sandbox is Sandbox.BWRAP}
    failures = tuple(
        (answer.bot, _with_hints(answer.failure, is_in_sandbox=answer.bot in sandboxed))
        for answer in ordered
        if answer.failure is not None
    )
    if problems:
        raise BotStartError([*problems, *(Problem(bot, why) for bot, why in failures)])
    warnings = [Problem(answer.bot, text) for answer in ordered for text in answer.warnings]
    return Preflight(tuple(warnings), failures)


def _answers(
    bots: Sequence[BotDefinition],
    rules: RuleSet,
    executor: Executor,
    is_interrupted: Callable[[], bool],
    patience: _Patience,
) -> dict[str, Greeted]:
    waiting = [GreetJob(bot, rules) for bot in reversed(bots)]
    running = losses = 0
    answers: dict[str, Greeted] = {}
    while (waiting or running) and not is_interrupted():
        # None waits behind another: what is waited for is known by name.
        while waiting and running < executor.slots:
            job = waiting.pop()
            executor.offer(job)
            patience.begin(job.bot)
            running += 1
        for event in executor.next_events(_WAIT_SECONDS):
            match event:
                case Greeted():
                    answers[event.bot] = event
                    patience.end(event.bot)
                case Finished():
                    running -= 1
                case Lost(job=GreetJob() as job, why=why):
                    running -= 1
                    losses += 1
                    patience.end(job.bot.name)
                    if losses > _MAX_LOSSES:
                        raise WorkerError(0, f"preflight of {job.bot.name}: {why}")
                    waiting.append(job)
                case _:
                    pass
    return answers


def _with_hints(why: str, *, is_in_sandbox: bool) -> str:
    hints = [SILENCE_HINT] if why.startswith(_SILENT) else []
    hints += [SANDBOX_HINT] if is_in_sandbox else []
    return f"{why} ({'; '.join(hints)})" if hints else why
