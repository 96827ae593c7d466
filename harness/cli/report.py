"""``loa report``: tables and plots of stored tournaments as files."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.locate import results_option, tournament_folder
from harness.cli.pairings import anchor_option, rate_pairings, read_pairings


@click.command("report")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the files; default: report/ in the folder of the (first) tournament.",
)
@anchor_option
@results_option
def command(
    *,
    names: tuple[str, ...],
    output: Path | None,
    anchor: tuple[str, float] | None,
    results: Path,
) -> None:
    """Write standings and cross table as CSV and Markdown, and the Elo plot as PNG and SVG.

    Prints the path of every file.
    """
    folders = [tournament_folder(name, results) for name in names]
    for path in write_report_of(folders, output or folders[0] / "report", anchor):
        click.echo(path)


def write_report_of(
    folders: list[Path], output: Path, anchor: tuple[str, float] | None = None
) -> list[Path]:
    """Write the report of these tournaments, rated together, and return the paths."""
    from harness.report.files import write_report

    tables, cross = rate_pairings(read_pairings(folders), anchor)
    title = ", ".join(folder.resolve().name for folder in folders)
    return write_report(output, tables, cross, title=title)
