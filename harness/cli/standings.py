"""``loa standings``: Elo table and cross table of stored tournaments."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.evidence import analyse_evidence, read_evidence
from harness.cli.locate import results_option, tournament_folder
from harness.cli.rating_options import (
    chosen_options,
    chosen_selection,
    rating_options,
    selection_options,
    warn_of_nothing,
)

if TYPE_CHECKING:
    from harness.ratings.analysis import Analysis
    from harness.report.sheet import Sheet


@click.command("standings")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document of everything.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the standings as CSV.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print everything as Markdown.")
@click.option(
    "--columns",
    metavar="NAME,...",
    help="Columns of the standings, in this order; an unknown name lists them all.",
)
@click.option(
    "--sort",
    metavar="COLUMN",
    default="rank",
    show_default=True,
    help="Sort by this column, the greatest first.",
)
@click.option(
    "--details",
    is_flag=True,
    help="Also results by side, likelihoods of superiority, endings and thinking times.",
)
@selection_options
@rating_options
@results_option
def command(
    *,
    names: tuple[str, ...],
    as_json: bool,
    as_csv: bool,
    as_markdown: bool,
    columns: str | None,
    sort: str,
    details: bool,
    only: tuple[str, ...],
    without: tuple[str, ...],
    anchors: tuple[tuple[str, float], ...],
    model: str,
    bootstrap: int | None,
    seed: int,
    results: Path,
) -> None:
    """Show who is how strong: Elo with error bars, and every pairing's score.

    Several tournaments are rated together. The same bot is the same name and the same program;
    a name that stands for different programs is split and said.
    """
    chosen = _columns(columns, sort)
    if as_json + as_csv + as_markdown > 1:
        raise click.UsageError("give one of --json, --csv and --markdown")
    if as_json and (chosen is not None or sort != "rank"):
        raise click.UsageError("--columns and --sort are not for --json, which holds everything")
    if chosen is not None and "bootstrap-error" in chosen and bootstrap is None:
        raise click.UsageError("the column bootstrap-error needs --bootstrap N")
    options = chosen_options(anchors=anchors, model=model, bootstrap=bootstrap, seed=seed)
    selection = chosen_selection(only, without)
    evidence = read_evidence([tournament_folder(name, results) for name in names], selection)
    analysis = analyse_evidence(evidence, options)
    warn_of_nothing(evidence)
    if as_json:
        from harness.report.documents import json_text

        text = json_text(names, analysis)
    elif as_csv:
        from harness.report.documents import standings_csv

        text = standings_csv(analysis.tables, chosen, sort=sort)
    elif as_markdown:
        from harness.report.markdown import markdown

        text = markdown(analysis, columns=chosen, sort=sort)
    else:
        show_analysis(analysis, columns=chosen, sort=sort, has_details=details)
        return
    click.echo(text, nl=False)


def _columns(text: str | None, sort: str) -> list[str] | None:
    """Return the columns asked for; None: the usual ones. Raises click.BadParameter."""
    from harness.report.standings_table import COLUMNS

    names = ", ".join(COLUMNS)
    if sort not in COLUMNS:
        raise click.BadParameter(f"{sort!r} is no column; there are {names}", param_hint="--sort")
    if text is None:
        return None
    chosen = [name.strip() for name in text.split(",")]
    for name in chosen:
        if name not in COLUMNS:
            raise click.BadParameter(
                f"{name!r} is no column; there are {names}", param_hint="--columns"
            )
    if len(set(chosen)) < len(chosen):
        raise click.BadParameter("a column is named twice", param_hint="--columns")
    return chosen


def show_analysis(
    analysis: Analysis,
    *,
    columns: list[str] | None = None,
    sort: str = "rank",
    has_details: bool = False,
) -> None:
    """Print tables for people: drawn on a terminal, plain text elsewhere."""
    if not analysis.tables:
        click.echo("No games.")
        return
    from harness.report.sheet import PAGE_WIDTH, as_text

    is_terminal = sys.stdout.isatty()
    if not is_terminal:
        sheets = _sheets(analysis, PAGE_WIDTH, columns, sort, has_details=has_details)
        click.echo("\n".join(as_text(sheet) for sheet in sheets), nl=False)
        return
    from rich.console import Console

    from harness.report.sheet import as_rich

    width = shutil.get_terminal_size().columns
    for sheet in _sheets(analysis, width - 2, columns, sort, has_details=has_details):
        # What does not fit is broken by the terminal: rich would cut names and numbers off.
        console = Console(highlight=False, width=max(width, sheet.width() + 2))
        console.print(as_rich(sheet))
        console.print()


def _sheets(
    analysis: Analysis, width: int, columns: list[str] | None, sort: str, *, has_details: bool
) -> list[Sheet]:
    from harness.report.diagnosis import diagnosis_sheets, match_sheet
    from harness.report.markdown import report_sheets
    from harness.report.square_table import cross_sheets
    from harness.report.standings_table import standings_sheets

    if has_details:
        return report_sheets(analysis, columns, sort, width)
    matches = [match_sheet(pool.match) for pool in analysis.pools if pool.match is not None]
    return [
        *standings_sheets(analysis.tables, width, columns=columns, sort=sort),
        *matches,
        *cross_sheets(analysis.cross, width),
        *diagnosis_sheets(analysis),
    ]
