"""Figures: pure functions from tables to a matplotlib Figure, which is never shown or saved here.

One dark colour and different marks carry everything, so that the figures read the same in grey.
Names are drawn as they are: no mathematics, no TeX.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from harness.ratings.types import Bound, RatingRow, RatingTable
from harness.report.sheet import plain_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK: Final = "#1b2a41"
_FAINT: Final = "#b8bfc9"
_WIDTH: Final = 8.0
_ROW_HEIGHT: Final = 0.27
_FRAME_HEIGHT: Final = 0.75
_LINE_HEIGHT: Final = 0.17
_CAPTION_CHARACTERS: Final = 126
_NAME_CHARACTERS: Final = 32
_TEXT_POINTS: Final = 9
_SMALL_POINTS: Final = 8


def elo_figure(tables: Sequence[RatingTable]) -> Figure:
    """Return a forest plot: Elo with 95 % intervals, bounds as arrows, one panel a table."""
    import matplotlib.style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.style.context("default"):  # a person's matplotlibrc may switch TeX on
        if not tables:
            figure = Figure(figsize=(_WIDTH, 1))
            FigureCanvasAgg(figure)
            figure.text(0.5, 0.5, "No games yet.", ha="center", va="center", color=_INK)
            return figure
        captions = [_caption(table) for table in tables]
        heights = [
            _FRAME_HEIGHT + _ROW_HEIGHT * max(len(table.rows), 1) + _LINE_HEIGHT * len(lines)
            for table, lines in zip(tables, captions, strict=True)
        ]
        figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        panels = figure.subfigures(len(tables), 1, squeeze=False, height_ratios=heights)[:, 0]
        for number, (panel, table, lines) in enumerate(zip(panels, tables, captions, strict=True)):
            title = "Elo" if len(tables) == 1 else f"Elo, table {number + 1} of {len(tables)}"
            _draw(panel.subplots(), table, title)
            panel.supxlabel(
                "\n".join(lines),
                x=0.01,
                ha="left",
                fontsize=_SMALL_POINTS,
                color=_INK,
                parse_math=False,
            )
    return figure


def _caption(table: RatingTable) -> list[str]:
    signs = []
    if any(row.error is not None for row in table.rows):
        signs.append("Dot and bar: estimate and 95 % interval.")
    if any(row.bound in (Bound.ABOVE, Bound.BELOW) for row in table.rows):
        signs.append("Arrow: the bot stands beyond this bound (one-sided, 95 %).")
    texts = [" ".join([table.scale, *signs]), *(f"Note: {text}." for text in table.notices)]
    return [line for text in texts for line in textwrap.wrap(plain_name(text), _CAPTION_CHARACTERS)]


def _draw(axes: Axes, table: RatingTable, title: str) -> None:
    rows = table.rows
    for place, row in enumerate(rows):
        _draw_row(axes, row, place)
    low, high = _limits(rows)
    axes.set_xlim(low, high)
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.set_yticks(
        range(len(rows)),
        labels=[plain_name(row.name, _NAME_CHARACTERS) for row in rows],
        parse_math=False,
        fontsize=_TEXT_POINTS,
    )
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=_SMALL_POINTS)
    axes.grid(axis="x", color=_FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["left", "top", "right"]].set_visible(False)
    if low < 0 < high:
        axes.axvline(0, color=_INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    values = axes.secondary_yaxis("right")
    values.set_yticks(
        range(len(rows)), labels=[_value_text(row) for row in rows], fontsize=_TEXT_POINTS
    )
    values.tick_params(length=0)
    values.spines["right"].set_visible(False)
    axes.set_title(title, loc="left", fontsize=_TEXT_POINTS + 2, color=_INK)


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
                color=_INK,
                markersize=5,
                linewidth=1.6,
                capsize=3,
            )
        case Bound.ABOVE | Bound.BELOW:
            points = 26 if row.bound is Bound.ABOVE else -26
            axes.plot(row.elo, place, marker="|", color=_INK, markersize=9, markeredgewidth=1.6)
            axes.annotate(
                "",
                xy=(row.elo, place),
                xytext=(points, 0),
                textcoords="offset points",
                arrowprops={"arrowstyle": "<|-", "color": _INK, "shrinkA": 0, "shrinkB": 0},
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
    return f"{row.elo_text}{error}, {row.games} game{'' if row.games == 1 else 's'}"
