"""``loa report``: tables and plots of stored tournaments as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from harness.cli.evidence import (
    analyse_evidence,
    read_evidence,
    read_lengths,
    read_thinking_times,
)
from harness.cli.locate import results_option, tournament_folder
from harness.cli.rating_options import (
    chosen_options,
    chosen_selection,
    rating_options,
    selection_options,
    warn_of_nothing,
)

if TYPE_CHECKING:
    from harness.cli.evidence import Evidence
    from harness.ratings.analysis import Analysis
    from harness.ratings.observations import RatingHistory

_MOST_TIMED_GAMES: Final = 5_000


def _checked_output(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> Path | None:
    if value is not None and not value:
        raise click.BadParameter("names no folder")
    return None if value is None else Path(value)


@click.command("report")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--output",
    type=click.Path(file_okay=False),
    callback=_checked_output,
    help="Folder for the files; default: report/ in the folder of the (first) tournament.",
)
@selection_options
@rating_options
@results_option
def command(
    *,
    names: tuple[str, ...],
    output: Path | None,
    only: tuple[str, ...],
    without: tuple[str, ...],
    anchors: tuple[tuple[str, float], ...],
    model: str,
    bootstrap: int | None,
    seed: int,
    results: Path,
) -> None:
    """Write tables and plots: report.md with everything, CSV files, PNG and SVG pictures.

    Several tournaments are rated together. Prints the path of every file.
    """
    options = chosen_options(anchors=anchors, model=model, bootstrap=bootstrap, seed=seed)
    selection = chosen_selection(only, without)
    folders = [tournament_folder(name, results) for name in names]
    evidence = read_evidence(folders, selection)
    analysis = analyse_evidence(evidence, options)
    warn_of_nothing(evidence)
    from harness.report.safe_text import printable

    for path in write_report_of(evidence, analysis, output or folders[0] / "report"):
        click.echo(printable(str(path)))


def write_report_of(evidence: Evidence, analysis: Analysis, output: Path) -> list[Path]:
    """Write the report of these tournaments, rated together, and return the paths."""
    from harness.report.files import ReportMaterial, write_report

    material = ReportMaterial(
        analysis,
        tuple(read_lengths(evidence)),
        read_thinking_times(evidence, _MOST_TIMED_GAMES),
        tuple(_histories(evidence, analysis)),
    )
    return write_report(
        output, material, title=", ".join(folder.name for folder in evidence.folders)
    )


def _histories(evidence: Evidence, analysis: Analysis) -> list[RatingHistory | None]:
    import numpy as np

    from harness.ratings.history import rating_history

    results = evidence.results
    histories = []
    for pool in analysis.pools:
        table = pool.tables[0]
        bots = np.array([place for place, name in enumerate(results.names) if name in pool.bots])
        has_ratings = len(table.rated) > 1 and pool.diagnostics is not None
        histories.append(
            rating_history(results.among(bots), table, analysis.model) if has_ratings else None
        )
    return histories
