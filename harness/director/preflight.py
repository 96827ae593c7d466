"""Preflight: every bot is there, speaks, and takes its options, before the first game."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.errors import BotStartError, Problem
from harness.execution.base import Executor, Finished, Lost
from harness.play.types import BotDefinition
from harness.process.identity import bot_identity
from harness.process.jobs import Greeted, GreetJob
from harness.process.launch import LaunchError, find_program
from harness.rules.types import RuleSet


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


def greet_all(
    bots: Sequence[BotDefinition],
    rules: RuleSet,
    executor: Executor,
    is_interrupted: Callable[[], bool],
) -> list[Problem]:
    """Start and greet every bot once, in a worker; returns the warnings.

    Raises BotStartError with the problems of all bots together. Returns early when interrupted.
    """
    waiting = [GreetJob(bot, rules) for bot in bots]
    waiting.reverse()
    open_jobs = len(waiting)
    problems: list[Problem] = []
    warnings: list[Problem] = []
    while open_jobs and not is_interrupted():
        while waiting and executor.room > 0:
            executor.offer(waiting.pop())
        for event in executor.next_events(0.2):
            match event:
                case Greeted():
                    problems += [Problem(event.bot, problem) for problem in event.problems]
                    warnings += [Problem(event.bot, warning) for warning in event.warnings]
                case Finished():
                    open_jobs -= 1
                case Lost(job=job, why=why):
                    open_jobs -= 1
                    name = job.bot.name if isinstance(job, GreetJob) else "?"
                    problems.append(Problem(name, why))
                case _:
                    pass
    order = {bot.name: number for number, bot in enumerate(bots)}
    if problems:
        raise BotStartError(sorted(problems, key=lambda problem: order.get(problem.place, 0)))
    return warnings
