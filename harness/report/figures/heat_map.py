"""Who beats whom: the score of every pairing as a heat map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.ratings.counts import FloatArray
from harness.ratings.crosstable import CrossTable
from harness.ratings.types import RatingTable
from harness.report.figures.canvas import (
    FAINT,
    TEXT_POINTS,
    counted,
    empty_figure,
    heading_text,
    new_figure,
    style,
    text_width,
)
from harness.report.sheet import plain_name

_WHAT: Final = "score of each pairing"
_COLORS: Final = "cividis"
"""Its lightness rises all the way, so that it reads the same in grey and to the colour-blind."""
_MOST_WITH_TEXT: Final = 20
_MOST_LABELS: Final = 40
_NAME_CHARACTERS: Final = 24
_SHORT_NAME_CHARACTERS: Final = 16
_SCORE_POINTS: Final = 8.5
_LOS_POINTS: Final = 6.5
_SMALL_MAP_INCHES: Final = 5.5
_LARGEST_MAP_INCHES: Final = 10.4
_LARGEST_CELL_INCHES: Final = 0.9
_SMALLEST_TEXT_CELL_INCHES: Final = 0.52
_SMALLEST_CELL_INCHES: Final = 0.26
_NARROWEST_INCHES: Final = 7.0
_BAR_INCHES: Final = 0.9
_PADS_INCHES: Final = 0.4
_MIDDLE_LUMINANCE: Final = 0.179
"""Where black and white stand out the same, with a contrast of 4.6 (WCAG 2.2)."""

_UPRIGHT_INCHES: Final = 0.35
"""Room above upright names: the layout does not see all of their height."""


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """What is to be drawn, by row and column; nan where there is nothing."""

    names: tuple[str, ...]
    scores: FloatArray
    los: FloatArray
    differ: FloatArray
    games: int


def heat_map_figure(table: RatingTable, cross: CrossTable, title: str = "") -> Figure:
    """Return the score of each bot of the table, in the row, against each other, in the column.

    Both are in the table's order; bots without games are left out. Up to 20 bots, a cell holds
    the score in percent, the LOS where both bots are rated, and a star where the two differ.
    """
    heading = heading_text(title, _WHAT)
    with style():
        cells = _cells(table, cross)
        if not cells.games:
            has_games = any(row.games for row in table.rows)
            return empty_figure(
                heading,
                "No games between these bots." if has_games else "No games yet.",
            )
        bots = len(cells.names)
        step = math.ceil(bots / _MOST_LABELS)
        labels = _labels(cells.names, has_places=step > 1)
        cell = _cell_inches(bots)
        points = TEXT_POINTS if bots <= _MOST_WITH_TEXT else TEXT_POINTS - 2
        longest = max(text_width(label, points) for label in labels[::step])
        is_upright = longest > cell * 0.9
        bar = 0 if bots <= _MOST_WITH_TEXT else _BAR_INCHES
        figure = new_figure(
            heading,
            _caption(cells, table),
            cell * bots + (longest + _UPRIGHT_INCHES if is_upright else 0.2),
            max(_NARROWEST_INCHES, cell * bots + longest + bar + _PADS_INCHES),
        )
        axes = figure.subplots()
        _draw(axes, cells)
        if bar:
            _add_bar(axes)
        else:
            _write(axes, cells, cell)
        ticks = range(0, bots, step)
        axes.set_xticks(
            ticks,
            labels=labels[::step],
            rotation=90 if is_upright else 0,
            parse_math=False,
            fontsize=points,
        )
        axes.set_yticks(ticks, labels=labels[::step], parse_math=False, fontsize=points)
    return figure


def _cells(table: RatingTable, cross: CrossTable) -> _Cells:
    names = tuple(row.name for row in table.rows if row.games)
    place = {name: number for number, name in enumerate(names)}
    bots = len(names)
    points, games = np.zeros((bots, bots)), np.zeros((bots, bots))
    for (first, second), score in cross.as_first.items():
        if first in place and second in place:
            row, column = place[first], place[second]
            points[row, column] += score.points
            points[column, row] += score.reversed().points
            games[row, column] += score.games
            games[column, row] += score.games
    los, differ = np.full((bots, bots), np.nan), np.zeros((bots, bots))
    rated = [number for number, name in enumerate(table.rated) if name in place]
    places = [place[table.rated[number]] for number in rated]
    los[np.ix_(places, places)] = table.los[np.ix_(rated, rated)]
    differ[np.ix_(places, places)] = table.differ[np.ix_(rated, rated)]
    met = games > 0
    return _Cells(
        names=names,
        scores=np.divide(points, games, out=np.full((bots, bots), np.nan), where=met),
        los=np.where(met, los, np.nan),
        differ=differ * met,
        games=int(games.sum()) // 2,
    )


def _labels(names: Sequence[str], *, has_places: bool) -> list[str]:
    if not has_places:
        return [plain_name(name, _NAME_CHARACTERS) for name in names]
    return [
        f"{place}  {plain_name(name, _SHORT_NAME_CHARACTERS)}"
        for place, name in enumerate(names, 1)
    ]


def _cell_inches(bots: int) -> float:
    if bots <= _MOST_WITH_TEXT:
        cell = min(_SMALL_MAP_INCHES / bots, _LARGEST_CELL_INCHES)
        return max(cell, _SMALLEST_TEXT_CELL_INCHES)
    return min(_SMALLEST_CELL_INCHES, _LARGEST_MAP_INCHES / bots)


def _caption(cells: _Cells, table: RatingTable) -> list[str]:
    sentences = [
        "The share of the points, in percent, that the bot of the row took from the bot of the "
        "column; 50 % is equal. The lighter, the better for the row.",
        f"{counted(cells.games)}; hatched: no games between the two.",
    ]
    if len(cells.names) > _MOST_LABELS:
        sentences.append(f"{len(cells.names)} bots in the order of the table, some named.")
    if len(cells.names) > _MOST_WITH_TEXT or not np.isfinite(cells.los).any():
        return [" ".join(sentences)]
    sentences.append("LOS: likelihood, in percent, that the row's bot is the better one.")
    if cells.differ.any():
        sentences.append(
            "*: the two differ, all comparisons of the table held to 95 % together (Tukey)."
        )
    return [" ".join(sentences), f"The ratings behind LOS{_and_stars(cells)}: {table.scale}"]


def _and_stars(cells: _Cells) -> str:
    return " and *" if cells.differ.any() else ""


def _draw(axes: Axes, cells: _Cells) -> None:
    axes.patch.set(hatch="////", edgecolor=FAINT, linewidth=0)
    axes.imshow(100 * cells.scores, cmap=_COLORS, vmin=0, vmax=100, interpolation="nearest")
    axes.set_anchor("W")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)


def _add_bar(axes: Axes) -> None:
    bar = axes.figure.colorbar(axes.images[0], ax=axes, aspect=40, pad=0.02)
    bar.set_ticks([0, 25, 50, 75, 100], labels=[f"{share} %" for share in (0, 25, 50, 75, 100)])
    bar.outline.set_visible(False)


def _write(axes: Axes, cells: _Cells, cell_inches: float) -> None:
    point = 1 / (72 * cell_inches)
    colors = mpl.colormaps[_COLORS]
    for row, column in np.argwhere(np.isfinite(cells.scores)).tolist():
        score, los = cells.scores[row, column], cells.los[row, column]
        ink = "black" if _luminance(colors(score)) > _MIDDLE_LUMINANCE else "white"
        star = "*" if cells.differ[row, column] else ""
        has_los = math.isfinite(los)
        axes.text(
            column,
            row - (4.5 * point if has_los else 0),
            f"{_percent(score)} %{star}",
            ha="center",
            va="center",
            color=ink,
            fontsize=_SCORE_POINTS,
        )
        if has_los:
            axes.text(
                column,
                row + 6.5 * point,
                f"LOS {_percent(los, is_estimate=True)}",
                ha="center",
                va="center",
                color=ink,
                fontsize=_LOS_POINTS,
            )


def _percent(share: float, *, is_estimate: bool = False) -> str:
    """Return whole percent; what only rounds to 0 or 100 is said to do so."""
    rounded = round(100 * share)
    if rounded == 0 and (share > 0 or is_estimate):
        return "<1"
    if rounded == 100 and (share < 1 or is_estimate):
        return ">99"
    return str(rounded)


def _luminance(color: Sequence[float]) -> float:
    """Return the relative luminance of an sRGB colour (WCAG 2.2), 0 to 1."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in color[:3]
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
