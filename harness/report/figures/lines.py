"""Lines of many bots in one figure: told apart by dash, mark and ink, named at the right end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from harness.ratings.counts import BoolArray, FloatArray
from harness.ratings.observations import MOST_WITH_INTERVALS
from harness.report.figures.canvas import INK, MOST_NAMED, TEXT_POINTS
from harness.report.sheet import plain_name

Dashes: TypeAlias = tuple[int, tuple[float, ...]] | str

MOST_BANDS: Final = MOST_WITH_INTERVALS
"""Bands of more bots would hide each other."""
_MOST_MARKS: Final = 9
_NAME_CHARACTERS: Final = 20
_LABEL_PLACE: Final = 1.03
_LABEL_HEIGHT: Final = 1.3
_INKS: Final = (INK, "#0b66a8", "#b3420a", "#12755a", "#7a3a86")
_DASHES: Final[tuple[Dashes, ...]] = (
    "solid",
    (0, (6, 2)),
    (0, (2, 1.2)),
    (0, (7, 2, 1.5, 2)),
    (0, (4, 1.5, 1, 1.5, 1, 1.5)),
)
_MARKS: Final = ("o", "s", "^", "D", "v", "X", "P", "<")


class LineStyle(NamedTuple):
    """How one line differs from the others; no two of the first 40 are the same in grey."""

    color: str
    dashes: Dashes
    marker: str


class LineEnd(NamedTuple):
    """Where the line of a bot ends, in the numbers of the axes."""

    name: str
    x: float
    y: float
    color: str


def line_style(place: int) -> LineStyle:
    """Return the style of the line that is drawn as number ``place``, from 0."""
    turn = place % len(_DASHES)
    return LineStyle(_INKS[turn], _DASHES[turn], _MARKS[place % len(_MARKS)])


def named_places(bots: int) -> list[int]:
    """Return the places of the bots that get a style and a name: all, or both ends of many."""
    if bots <= MOST_NAMED:
        return list(range(bots))
    half = MOST_NAMED // 2
    return [*range(half), *range(bots - half, bots)]


def draw_line(axes: Axes, x: FloatArray, y: FloatArray, drawn: LineStyle, name: str) -> None:
    """Draw one line; nan are gaps, and a value between two gaps gets a mark of its own."""
    places = np.flatnonzero(np.isfinite(y))
    marks = set(places[:: -(-len(places) // _MOST_MARKS) or 1].tolist())
    marks.update(np.flatnonzero(lonely(y)).tolist())
    marks.update(places[-1:].tolist())
    axes.plot(
        x,
        y,
        color=drawn.color,
        linestyle=drawn.dashes,
        linewidth=1.5,
        marker=drawn.marker,
        markersize=4.5,
        markevery=sorted(marks),
        label=name,
    )


def lonely(values: FloatArray) -> BoolArray:
    """Tell which of the values have no neighbour, so that no line or band shows them."""
    known = np.concatenate([[False], np.isfinite(values), [False]])
    return np.asarray(known[1:-1] & ~known[:-2] & ~known[2:], dtype=np.bool_)


def label_ends(figure: Figure, axes: Axes, ends: Sequence[LineEnd]) -> None:
    """Write the names to the right of the axes, moved apart, with a thin line to each line's end.

    The limits of the axes must be set before.
    """
    notes = [_label(axes, end) for end in ends]
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)  # the names' places depend on the height of the axes
    box = axes.get_window_extent()
    heights = axes.transData.transform([(end.x, end.y) for end in ends])[:, 1]
    wanted = (heights - box.y0) / box.height
    gap = TEXT_POINTS * _LABEL_HEIGHT * figure.dpi / 72 / box.height
    for note, place in zip(notes, moved_apart(wanted, gap), strict=True):
        note.set_position((_LABEL_PLACE, place))


def moved_apart(wanted: FloatArray, gap: float) -> FloatArray:
    """Move numbers in 0 to 1 as little as possible (least squares) until ``gap`` parts them.

    With q_k = p_k - k x gap over the sorted places p this is an isotonic regression.
    """
    from scipy.optimize import isotonic_regression

    count = len(wanted)
    gap = min(gap, 1 / max(count - 1, 1))
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(count)
    fitted = isotonic_regression(wanted[order] - steps).x
    moved = np.empty(count)
    moved[order] = np.clip(fitted, 0, 1 - gap * (count - 1)) + steps
    return moved


def _label(axes: Axes, end: LineEnd) -> Annotation:
    return axes.annotate(
        plain_name(end.name, _NAME_CHARACTERS),
        xy=(end.x, end.y),
        xytext=(_LABEL_PLACE, 0.5),
        textcoords="axes fraction",
        va="center",
        color=end.color,
        annotation_clip=False,
        parse_math=False,
        arrowprops={
            "arrowstyle": "-",
            "color": end.color,
            "linewidth": 0.5,
            "shrinkA": 1,
            "shrinkB": 3,
            "relpos": (0, 0.5),
        },
    )
