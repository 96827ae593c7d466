"""Preflight: every bot is there, speaks, and takes its options, before the first game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from harness.errors import BotStartError, Problem, WorkerError
from harness.execution.base import Executor, Finished, Lost
from harness.play.bot_definition import BotDefinition
from harness.process.identity import bot_identity
from harness.process.jobs import Greeted, GreetJob
from harness.process.launch import LaunchError, find_program
from harness.rules.types import RuleSet

_WAIT_SECONDS: Final = 0.2
_MAX_LOSSES: Final = 10


def identities(bots: Sequence[BotDefinition]) -> dict[str, str]:
    """Return the identity of every bot by name.

    Raises BotStartError with every bot whose program does not exist or is not executable.
    """
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for bot in bots:
        try:
            find_program(bot)
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


def greet_all(
    bots: Sequence[BotDefinition],
    rules: RuleSet,
    executor: Executor,
    is_interrupted: Callable[[], bool],
) -> Preflight:
    """Start and greet every bot, in a worker.

    Raises BotStartError, naming all that is wrong with all bots, when one has a problem that a
    person has to mend; WorkerError when workers keep dying. Returns early when interrupted.
    """
    waiting = [GreetJob(bot, rules) for bot in reversed(bots)]
    open_jobs = len(waiting)
    losses = 0
    answers: dict[str, Greeted] = {}
    while open_jobs and not is_interrupted():
        while waiting and executor.room > 0:
            executor.offer(waiting.pop())
        for event in executor.next_events(_WAIT_SECONDS):
            match event:
                case Greeted():
                    answers[event.bot] = event
                case Finished():
                    open_jobs -= 1
                case Lost(job=GreetJob() as job, why=why):
                    losses += 1
                    if losses > _MAX_LOSSES:
                        raise WorkerError(0, f"preflight of {job.bot.name}: {why}")
                    waiting.append(job)
                case _:
                    pass
    ordered = [answers[bot.name] for bot in bots if bot.name in answers]
    problems = [Problem(answer.bot, text) for answer in ordered for text in answer.problems]
    failures = tuple(
        (answer.bot, answer.failure) for answer in ordered if answer.failure is not None
    )
    if problems:
        raise BotStartError([*problems, *(Problem(bot, why) for bot, why in failures)])
    warnings = [Problem(answer.bot, text) for answer in ordered for text in answer.warnings]
    return Preflight(tuple(warnings), failures)
