"""The final table of a tournament whose format has one, printed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.director.settled import read_settled
from harness.store.sqlite import Store
from harness.tournament.final_table import final_table
from harness.tournament.schedule import Schedule
from harness.tournament.spec import TournamentSpec


def show_final_table(spec: TournamentSpec, folder: Path) -> None:
    """Print the points of a Swiss or the bracket of a knock-out, from what is stored."""
    if not spec.format.depends_on_results:
        return
    from harness.report.sheet import Column, Sheet, as_rich, as_text, plain_name

    with Store.open_read_only(folder) as store:
        table = final_table(Schedule.of(spec, read_settled(spec, store)))
    assert table is not None
    sheet = Sheet(
        table.title,
        tuple(Column(heading, is_number) for heading, is_number in table.columns),
        tuple(tuple(plain_name(cell) for cell in row) for row in table.rows),
        table.notes,
    )
    if not sys.stdout.isatty():
        click.echo(f"{as_text(sheet)}")
        return
    from rich.console import Console

    width = max(Console().width, sheet.width() + 2)
    Console(highlight=False, width=width).print(as_rich(sheet))
