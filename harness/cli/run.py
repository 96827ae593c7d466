"""``loa run``: play a tournament, or go on with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.format_options import format_options
from harness.cli.game_options import game_options, given_flags
from harness.cli.locate import results_option
from harness.cli.run_settings import RunSettings, chosen_affinity
from harness.cli.version_options import cache_option, with_versions
from harness.cli.whole_number_type import WholeNumber
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.tournament.spec import TournamentSpec


@click.command("run")
@click.argument("bots", nargs=-1, required=True, metavar="SPEC.toml | BOT BOT ...")
@click.option("--rounds", type=WholeNumber(), help="Game pairs of every encounter.  [default: 10]")
@game_options
@format_options
@click.option(
    "--accept-changed",
    "accept_changed",
    multiple=True,
    metavar="BOT",
    help="Go on although this bot is not what it was; both are kept apart.",
)
@click.option("--dry-run", is_flag=True, help="Show the schedule and the time it takes.")
@click.option("--no-report", is_flag=True, help="Write no plot and table files at the end.")
@click.option("--debug", is_flag=True, help="Play the next game only, its traffic on stderr.")
@cache_option
@results_option
def command(
    *,
    bots: tuple[str, ...],
    results: Path,
    cache: Path | None,
    serial: bool,
    accept_changed: tuple[str, ...],
    dry_run: bool,
    no_report: bool,
    debug: bool,
    affinity: str | None,
    events: str | None,
    has_transcripts: bool,
    **flags: object,
) -> None:
    """Play a tournament, or go on with it.

    A BOT is a shipped bot, NAME or NAME:Option=Value,... (`loa bots` lists them), or a command
    with a `/` or a space in it; `label=` before it names it. One argument that ends in .toml is
    a spec instead; flags given beside it go before what stands in it.

    Everything played is stored at once. The same command again goes on where it stopped.
    """
    placing = chosen_affinity(affinity, flags["slots"], is_serial=serial)
    spec = _spec(bots, flags)
    if spec.test is not None:
        raise InputError("this is a sequential test, as its [test] says: use `loa compare`")
    spec = with_versions(spec, cache, results, is_dry_run=dry_run)
    if dry_run:
        from harness.cli.dry_run import dry_run_text
        from harness.report.safe_text import printable_lines

        click.echo("\n".join(printable_lines(dry_run_text(spec, results, placing))))
        return
    from harness.cli.play_tournament import play_tournament

    settings = RunSettings(
        is_serial=serial,
        is_debug=debug,
        affinity=placing,
        has_transcripts=has_transcripts,
        accept_changed=frozenset(accept_changed),
    )
    folder = results / spec.name
    code = play_tournament(spec, folder, settings, has_report=not no_report, events=events)
    if code:
        sys.stdout.flush()
        sys.exit(code)


def _spec(bots: tuple[str, ...], flags: dict[str, object]) -> TournamentSpec:
    from harness.tournament.config import load_spec, spec_from_flags

    specs = [bot for bot in bots if bot.endswith(".toml") and "=" not in bot]
    given = given_flags(flags)
    if not specs:
        return spec_from_flags(bots, folder=Path.cwd(), **given)
    if len(bots) > 1:
        raise InputError("give either one spec (.toml) or bots, not both")
    return load_spec(Path(specs[0]), **given)
