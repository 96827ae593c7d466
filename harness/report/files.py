"""The report of tournaments as files in one folder."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from harness.errors import OutputError
from harness.ratings.analysis import Analysis
from harness.ratings.observations import LengthCount, RatingHistory, ThinkingTimes
from harness.report.markdown import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH: Final = 150
_TALLEST_PIXELS: Final = 60_000
MOST_PLOTS: Final = 4
"""Plots of one kind: bots that never met may make a hundred tables, the largest come first."""

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, eq=False)
class ReportMaterial:
    """Everything that a report shows.

    ``histories`` are in the order of the analysis's pools, None for a pool without ratings.
    """

    analysis: Analysis
    lengths: tuple[LengthCount, ...]
    times: ThinkingTimes
    histories: tuple[RatingHistory | None, ...]


def write_report(folder: Path, material: ReportMaterial, *, title: str = "") -> list[Path]:
    """Write tables and plots into the folder and return the paths; same data, same bytes.

    report.md with everything, the tables as CSV, each plot as PNG and SVG. Each file is replaced
    as a whole. Raises OutputError when the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(folder / name, data) for name, data in _files(material, title)]
    except OSError as error:
        raise OutputError(f"the report cannot be written to {folder}: {error.strerror}") from error


def _files(material: ReportMaterial, title: str) -> list[tuple[str, bytes]]:
    """Return all files; what names the others comes last."""
    from harness.report.documents import cross_csv, endings_csv, los_csv, standings_csv
    from harness.report.markdown import markdown

    analysis = material.analysis
    # matplotlib reads this once, on import, and refuses what it does not know.
    os.environ["MPLBACKEND"] = "agg"
    figures = list(_figures(material, title))
    pictures = [Picture(f"{name}.png", heading) for name, heading, _ in figures]
    texts = {
        "standings.csv": standings_csv(analysis.tables),
        "crosstable.csv": cross_csv(analysis.cross),
        "los.csv": los_csv(analysis.tables),
        "endings.csv": endings_csv(analysis.endings),
        "report.md": markdown(analysis, title=title, pictures=pictures),
    }
    files = [file for name, _, figure in figures for file in _pictures(name, figure)]
    return [*files, *((name, text.encode()) for name, text in texts.items())]


def _figures(material: ReportMaterial, title: str) -> Iterator[tuple[str, str, Figure]]:
    """Yield file name, heading and figure of every plot."""
    from harness.report.figures.elo import elo_figure
    from harness.report.figures.endings import endings_figure
    from harness.report.figures.first_move import first_move_figure
    from harness.report.figures.heat_map import heat_map_figure
    from harness.report.figures.history import history_figure
    from harness.report.figures.lengths import lengths_figure
    from harness.report.figures.thinking import thinking_figure

    analysis = material.analysis
    yield "elo", "Elo with intervals", elo_figure(analysis.tables, title)
    met = [table for table in analysis.tables if sum(row.games > 0 for row in table.rows) > 1]
    for suffix, table in _suffixed(met[:MOST_PLOTS]):
        figure = heat_map_figure(table, analysis.cross, title)
        yield f"scores{suffix}", "Scores of all pairings", figure
    histories = [history for history in material.histories if history is not None]
    for suffix, history in _suffixed(histories[:MOST_PLOTS]):
        yield f"history{suffix}", "Rating against games played", history_figure(history, title)
    yield "lengths", "Lengths of the games", lengths_figure(material.lengths, title)
    yield "endings", "Endings by bot", endings_figure(analysis.endings, title)
    yield "thinking", "Thinking time by move", thinking_figure(material.times, title)
    diagnosed = [pool for pool in analysis.pools if pool.diagnostics is not None]
    for suffix, pool in _suffixed(diagnosed[:MOST_PLOTS]):
        assert pool.diagnostics is not None
        figure = first_move_figure(pool.diagnostics.openings, pool.tables[0].first_move, title)
        yield f"first-move{suffix}", "First move by opening", figure


def _suffixed(items: Sequence[_Item]) -> Iterator[tuple[str, _Item]]:
    for number, item in enumerate(items, 1):
        yield "" if number == 1 else f"-{number}", item


def _pictures(name: str, figure: Figure) -> Iterator[tuple[str, bytes]]:
    from harness.report.figures.canvas import style

    dots = min(_DOTS_PER_INCH, _TALLEST_PIXELS / figure.get_figheight())
    png, svg = io.BytesIO(), io.BytesIO()
    with style():
        figure.savefig(png, format="png", dpi=dots, metadata={"Software": None})
        figure.savefig(svg, format="svg", metadata={"Date": None})
    yield f"{name}.png", png.getvalue()
    yield f"{name}.svg", svg.getvalue()


def _write(path: Path, data: bytes) -> Path:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path
