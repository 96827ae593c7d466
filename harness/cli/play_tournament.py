"""``loa run`` once its spec is read: play, then show tables and write the report."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import click

from harness.cli.evidence import analyse_evidence, read_evidence
from harness.cli.report import write_report_of
from harness.cli.run_games import run_games
from harness.cli.standings import show_analysis
from harness.cli.tournament_table import show_final_table
from harness.director.events import RunEnded
from harness.tournament.spec import TournamentSpec


def play_tournament(
    spec: TournamentSpec,
    folder: Path,
    *,
    is_serial: bool,
    is_debug: bool,
    has_report: bool,
    accept_changed: Collection[str],
) -> int:
    """Play a tournament into its folder, show the table, and return the exit code."""
    ended, _ = run_games(
        spec,
        folder,
        is_serial=is_serial,
        is_debug=is_debug,
        accept_changed=accept_changed,
    )
    return _show_end(spec, folder, ended, is_debug=is_debug, has_report=has_report)


def _show_end(
    spec: TournamentSpec, folder: Path, ended: RunEnded, *, is_debug: bool, has_report: bool
) -> int:
    if ended.interrupted_by is not None:
        click.echo(
            f"stopped: {ended.finished} of {ended.planned} games are stored in {folder}; "
            "the same command goes on",
            err=True,
        )
        return 128 + ended.interrupted_by
    if ended.finished and not is_debug:
        evidence = read_evidence([folder])
        analysis = analyse_evidence(evidence)
        show_analysis(analysis)
        show_final_table(spec, folder)
        if has_report:
            write_report_of(evidence, analysis, folder / "report")
            click.echo(f"Report: {folder / 'report' / 'report.md'} (tables and plots beside it)")
    for bot, why in ended.set_aside:
        click.echo(f"{bot} was set aside: {why}", err=True)
    if is_debug:
        return 3 if ended.set_aside else 0
    if ended.open_games:
        click.echo(
            f"{ended.open_games} of {ended.planned} games stay open; the same command tries "
            "them again",
            err=True,
        )
    return 3 if ended.open_games or ended.set_aside else 0
