"""``loa check``: does a bot speak the line protocol? Step by step, with what to do about it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.exit_codes import FOUND_SOMETHING
from harness.cli.locate import results_option
from harness.cli.version_options import cache_option, with_versions
from harness.cli.whole_number_type import WholeNumber
from harness.ending_signals import exit_code_of_signal
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.cli.check_text import StepPrinter
    from harness.play.bot_definition import BotDefinition
    from harness.play.clock import TimeControl
    from harness.process.conformance.report import StepReport


@click.command("check")
@click.argument("bot", metavar="BOT | SPEC.toml")
@click.option("--bot", "only", metavar="NAME", help="Of a spec, check this bot alone.")
@click.option(
    "--protocol",
    type=click.Choice(["ugi", "uci"]),
    help="The dialect that it speaks.  [default: ugi, or what the spec says]",
)
@click.option("--tc", help="Time control of the moves and the game.  [default: 2+0.02]")
@click.option(
    "--sandbox",
    type=click.Choice(["none", "bwrap"]),
    help="What keeps it away from the machine.  [default: none, or what the spec says]",
)
@click.option(
    "--memory-mb",
    type=WholeNumber(min=1),
    help="Memory of all its processes.  [default: no limit, or what the spec says]",
)
@click.option(
    "--processes",
    type=WholeNumber(min=1),
    help="Processes that it may have at once.  [default: 256, or what the spec says]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--verbose", is_flag=True, help="Show the lines of all steps, not of failed ones.")
@cache_option
@results_option
def command(
    *,
    bot: str,
    only: str | None,
    protocol: str | None,
    tc: str | None,
    sandbox: str | None,
    memory_mb: int | None,
    processes: int | None,
    as_json: bool,
    verbose: bool,
    cache: Path | None,
    results: Path,
) -> None:
    """Check step by step whether a bot speaks the line protocol.

    BOT is as for `loa run`; of a spec, every bot is checked. Each step shows how it ended and
    how long it took; after a failure or a warning, what was sent (>), what came (<), what was
    written to stderr (!), and how to mend it. Limits of waiting are those of the bot's table.
    Flags go before what a spec says of a bot.
    The last steps are games of the bot against itself; nothing is stored.

    Exit code 5 when a step failed; warnings do not count.
    """
    from harness.cli.check_text import StepPrinter, bot_document, document_text
    from harness.process.conformance.checklist import STEPS
    from harness.process.conformance.report import Status

    control = _control(tc)
    changes = _changes(protocol, sandbox, memory_mb, processes)
    bots = [replace(one, **changes) for one in _bots(bot, only, cache, results)]
    _look_for_programs(bots)
    names = [step.name for step in STEPS]
    documents = []
    is_good = True
    for place, definition in enumerate(bots):
        if place and not as_json:
            click.echo()
        printer = None if as_json else StepPrinter(definition.name, names, shows_all=verbose)
        reports = _check(definition, control, printer)
        is_good &= all(report.status is not Status.FAIL for report in reports)
        documents.append(bot_document(definition.name, reports))
    if as_json:
        click.echo(document_text(documents, is_spec=_is_spec(bot) and only is None))
    if not is_good:
        sys.stdout.flush()
        sys.exit(FOUND_SOMETHING)


def _check(
    definition: BotDefinition, control: TimeControl | None, printer: StepPrinter | None
) -> list[StepReport]:
    """Take one bot through the steps, telling each; a signal ends the bot, then the command."""
    from harness.director.interrupt import Interrupt
    from harness.process.conformance.checklist import run_checklist
    from harness.process.pipes import Withdrawn

    reports = []
    with (
        Interrupt() as interrupt,
        closing(run_checklist(definition, control, interrupt.fd)) as steps,
    ):
        try:
            for report in steps:
                reports.append(report)
                if printer is not None:
                    printer.step(report)
        except Withdrawn:
            assert interrupt.received is not None
            if printer is not None:
                printer.abandon()
            sys.stdout.flush()
            sys.exit(exit_code_of_signal(interrupt.received))
    if printer is not None:
        printer.end()
    return reports


def _changes(
    protocol: str | None, sandbox: str | None, memory_mb: int | None, processes: int | None
) -> dict[str, Any]:
    """Return what the flags change of a bot."""
    from harness.play.bot_definition import BotProtocol, Sandbox

    changes = {
        "protocol": None if protocol is None else BotProtocol(protocol),
        "sandbox": None if sandbox is None else Sandbox(sandbox),
        "memory_mb": memory_mb,
        "processes": processes,
    }
    return {key: value for key, value in changes.items() if value is not None}


def _look_for_programs(bots: Sequence[BotDefinition]) -> None:
    """Raise an InputError that names every bot whose program, or whose sandbox, is not there."""
    from harness.play.bot_definition import Sandbox
    from harness.process.launch import LaunchError, find_program
    from harness.process.sandbox import check_sandbox, refusal

    refused = cache(refusal)
    problems = []
    for bot in bots:
        try:
            find_program(bot)
            if bot.sandbox is Sandbox.BWRAP:
                check_sandbox(bot, refused)
        except LaunchError as error:
            problems.append(f"{bot.name}: {error}")
    if problems:
        raise InputError("\n".join(problems))


def _bots(text: str, only: str | None, cache: Path | None, results: Path) -> list[BotDefinition]:
    if not _is_spec(text):
        if only is not None:
            raise InputError("--bot chooses a bot of a spec (.toml)")
        from harness.tournament.bot_argument import bot_of_argument

        return [bot_of_argument(text, Path.cwd())]
    from harness.tournament.config import load_spec
    from harness.tournament.effective_bots import effective_bots

    spec = load_spec(Path(text))
    if only is not None and only not in {bot.name for bot in spec.bots if bot.name}:
        spec = with_versions(spec, cache, results)  # a version may be called after its commit
    if only is not None:
        chosen = tuple(bot for bot in spec.bots if bot.name == only)
        if not chosen:
            names = ", ".join(bot.name for bot in spec.bots)
            raise InputError(f"{text} has no bot {only!r}; it has {names}")
        spec = replace(spec, bots=chosen)
    # As they are played: a bot that is to live in a sandbox must not be tried without.
    return list(effective_bots(with_versions(spec, cache, results), None))


def _control(text: str | None) -> TimeControl | None:
    from harness.errors import NotationError
    from harness.play.clock import TimeControl

    try:
        return None if text is None else TimeControl.parse(text)
    except NotationError as error:
        raise InputError(f"--tc {error}") from error


def _is_spec(text: str) -> bool:
    return text.endswith(".toml") and "=" not in text
