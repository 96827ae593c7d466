"""The ratings as a forest plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.ratings.types import Bound, RatingRow, RatingTable
from harness.report.figures.canvas import (
    INK,
    ROW_INCHES,
    add_frame,
    bare_figure,
    caption_lines,
    counted,
    empty_figure,
    frame_height,
    heading_text,
    show_row_values,
    show_rows,
    style,
)

MOST_PANELS: Final = 6
"""Tables that are drawn; of more the largest, which come first."""
_WHAT: Final = "Elo"


def elo_figure(tables: Sequence[RatingTable], title: str = "") -> Figure:
    """Return a forest plot: Elo with 95 % intervals, bounds as arrows, one panel a table."""
    with style():
        if not any(table.rows for table in tables):
            return empty_figure(heading_text(title, _WHAT), "No games yet.")
        count, tables = len(tables), tables[:MOST_PANELS]
        captions = [caption_lines(_caption(table)) for table in tables]
        heights = [
            frame_height(lines) + ROW_INCHES * max(len(table.rows), 1)
            for table, lines in zip(tables, captions, strict=True)
        ]
        figure = bare_figure(sum(heights))
        panels = figure.subfigures(len(tables), 1, squeeze=False, height_ratios=heights)[:, 0]
        for number, (panel, table, lines) in enumerate(zip(panels, tables, captions, strict=True)):
            part = "" if count == 1 else f", table {number + 1} of {count}"
            add_frame(panel, heading_text(title, _WHAT) + part, lines)
            _draw(panel.subplots(), table)
    return figure


def _caption(table: RatingTable) -> list[str]:
    signs = []
    if any(row.error is not None for row in table.rows):
        signs.append("Dot and bar: estimate and 95 % interval.")
    if any(row.bound in (Bound.ABOVE, Bound.BELOW) for row in table.rows):
        signs.append("Arrow: the bot stands beyond this bound (one-sided, 95 %).")
    return [" ".join([table.scale, *signs]), *(f"Note: {text}." for text in table.notices)]


def _draw(axes: Axes, table: RatingTable) -> None:
    rows = table.rows
    for place, row in enumerate(rows):
        _draw_row(axes, row, place)
    low, high = _limits(rows)
    axes.set_xlim(low, high)
    axes.grid(axis="x")
    show_rows(axes, [row.name for row in rows])
    show_row_values(axes, [_value_text(row) for row in rows])
    if low < 0 < high:
        axes.axvline(0, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)


def _draw_row(axes: Axes, row: RatingRow, place: int) -> None:
    if row.elo is None:
        return
    match row.bound:
        case Bound.EXACT:
            axes.errorbar(
                row.elo,
                place,
                xerr=row.error,
                fmt="o",
                color=INK,
                markersize=5,
                linewidth=1.6,
                capsize=3,
            )
        case Bound.ABOVE | Bound.BELOW:
            points = 26 if row.bound is Bound.ABOVE else -26
            axes.plot(row.elo, place, marker="|", color=INK, markersize=9, markeredgewidth=1.6)
            axes.annotate(
                "",
                xy=(row.elo, place),
                xytext=(points, 0),
                textcoords="offset points",
                arrowprops={"arrowstyle": "<|-", "color": INK, "shrinkA": 0, "shrinkB": 0},
            )
        case Bound.UNKNOWN:
            pass


def _limits(rows: Sequence[RatingRow]) -> tuple[float, float]:
    ends = [
        end
        for row in rows
        if row.elo is not None
        for end in (row.elo - (row.error or 0), row.elo + (row.error or 0))
    ]
    low, high = min(ends, default=-100.0), max(ends, default=100.0)
    has_arrows = any(row.bound in (Bound.ABOVE, Bound.BELOW) for row in rows)
    room = max((high - low) * (0.15 if has_arrows else 0.1), 25.0)
    return low - room, high + room


def _value_text(row: RatingRow) -> str:
    error = "" if row.error is None else f" \N{PLUS-MINUS SIGN} {row.error_text}"
    return f"{row.elo_text}{error}, {counted(row.games)}"
