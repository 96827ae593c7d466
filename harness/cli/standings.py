"""``loa standings``: Elo table and cross table of stored tournaments."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.locate import results_option, tournament_folder
from harness.cli.pairings import anchor_option, rate_pairings, read_pairings

if TYPE_CHECKING:
    from harness.ratings.crosstable import CrossTable
    from harness.ratings.types import RatingTable


@click.command("standings")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--json", "form", flag_value="json", help="Print one JSON document.")
@click.option("--csv", "form", flag_value="csv", help="Print the standings as CSV.")
@click.option("--markdown", "form", flag_value="markdown", help="Print both tables as Markdown.")
@anchor_option
@results_option
def command(
    *, names: tuple[str, ...], form: str | None, anchor: tuple[str, float] | None, results: Path
) -> None:
    """Show who is how strong: Elo with error bars, and every pairing's score.

    Several tournaments are rated together. The same bot is the same name and the same program;
    a name that stands for different programs is split and said.
    """
    pairings = read_pairings([tournament_folder(name, results) for name in names])
    tables, cross = rate_pairings(pairings, anchor)
    match form:
        case "json":
            from harness.report.documents import json_text

            text = json_text(names, tables, cross)
        case "csv":
            from harness.report.documents import standings_csv

            text = standings_csv(tables)
        case "markdown":
            from harness.report.tables import markdown

            text = markdown(tables, cross)
        case _:
            show_tables(tables, cross)
            return
    click.echo(text, nl=False)


def show_tables(tables: Sequence[RatingTable], cross: CrossTable) -> None:
    """Print standings and cross table for people: drawn on a terminal, plain text elsewhere."""
    if not tables:
        click.echo("No games yet.")
    elif sys.stdout.isatty():
        from rich.console import Console

        from harness.report.sheet import as_rich
        from harness.report.tables import cross_sheets, standings_sheets

        console = Console(highlight=False)
        room = console.width - 2
        for sheet in [*standings_sheets(tables, room), *cross_sheets(cross, room)]:
            console.print(as_rich(sheet))
    else:
        from harness.report.tables import cross_text, standings_text

        click.echo(f"{standings_text(tables)}\n{cross_text(cross)}", nl=False)
