"""``loa run`` once its spec is read: play, then show tables and write the report."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.evidence import analyse_evidence, read_evidence
from harness.cli.exit_codes import INCOMPLETE, STOPPED
from harness.cli.following import Following
from harness.cli.progress import say
from harness.cli.report import write_report_of
from harness.cli.run_games import run_games
from harness.cli.run_settings import RunSettings
from harness.cli.standings import show_analysis
from harness.cli.tournament_table import show_final_table
from harness.director.events import EndReason, RunEnded
from harness.ending_signals import exit_code_of_signal
from harness.report.safe_text import printable
from harness.tournament.spec import TournamentSpec


def play_tournament(
    spec: TournamentSpec,
    folder: Path,
    settings: RunSettings,
    *,
    has_report: bool,
    events: str | None = None,
) -> int:
    """Play a tournament into its folder, show the table, and return the exit code."""
    following = Following(events)
    with following.until_the_end():
        ended, _ = run_games(spec, folder, settings, events=following.stream)
        is_debug = settings.is_debug
        if ended.interrupted_by is None and ended.finished and not is_debug:
            _show_results(spec, folder, following, has_report=has_report)
        _say_end(folder, ended, is_debug=is_debug)
    return following.end(ended, _exit_code(ended, is_debug=is_debug))


def _show_results(
    spec: TournamentSpec, folder: Path, following: Following, *, has_report: bool
) -> None:
    evidence = read_evidence([folder])
    analysis = analyse_evidence(evidence)
    with following.results():
        show_analysis(analysis)
        show_final_table(spec, folder)
    if has_report:
        write_report_of(evidence, analysis, folder / "report")
        with following.results():
            click.echo(f"Report: {folder / 'report' / 'report.md'} (tables and plots beside it)")


def _say_end(folder: Path, ended: RunEnded, *, is_debug: bool) -> None:
    stored = f"{ended.finished} of {ended.planned} games are stored in {folder}"
    if ended.reason is EndReason.INTERRUPTED:
        say(f"stopped: {stored}; the same command goes on")
        return
    for bot, why in ended.set_aside:
        say(f"{bot} was set aside: {printable(why)}")
    if ended.reason is EndReason.STOPPED:
        say(f"stopped as asked: {stored}; the same command goes on")
    elif ended.open_games and not is_debug:
        say(
            f"{ended.open_games} of {ended.planned} games stay open; the same command tries "
            "them again"
        )


def _exit_code(ended: RunEnded, *, is_debug: bool) -> int:
    if ended.interrupted_by is not None:
        return exit_code_of_signal(ended.interrupted_by)
    if ended.reason is EndReason.STOPPED:
        return STOPPED
    has_open_games = ended.open_games > 0 and not is_debug
    return INCOMPLETE if has_open_games or ended.set_aside else 0
