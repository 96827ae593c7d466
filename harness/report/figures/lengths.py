"""How long the games were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from harness.ratings.counts import IntArray
from harness.ratings.observations import LengthCount
from harness.report.figures.canvas import (
    FAINT,
    GREY,
    INK,
    counted,
    empty_figure,
    heading_text,
    new_figure,
    style,
)

_WHAT: Final = "length of the games"
_HEIGHT: Final = 3.2
_MOST_BARS: Final = 50
_FEWEST_BARS: Final = 12
_BAR_PLIES: Final = (1, 2, 4, 10, 20, 50, 100, 200, 500, 1000)


def lengths_figure(lengths: Sequence[LengthCount], title: str = "") -> Figure:
    """Return a histogram of the games' plies, decided and drawn ones stacked, with the median."""
    heading = heading_text(title, _WHAT)
    counts = sorted(count for count in lengths if count.games > 0)
    with style():
        if not counts:
            return empty_figure(heading, "No games yet.")
        plies = np.array([count.plies for count in counts], dtype=np.int64)
        games = np.array([count.games for count in counts], dtype=np.int64)
        is_drawn = np.array([count.is_drawn for count in counts])
        width = _bar_plies(int(plies.max() - plies.min()) + 1)
        median = _median(plies, games)
        figure = new_figure(
            heading,
            [_caption(int(games.sum()), int(games[is_drawn].sum()), width, median)],
            _HEIGHT,
        )
        axes = figure.subplots()
        start = int(plies.min()) // width * width
        edges = np.arange(start, plies.max() + width + 1, width)
        stacks = [
            np.histogram(plies[part], edges, weights=games[part])[0]
            for part in (~is_drawn, is_drawn)
        ]
        _draw(axes, edges, stacks[0], stacks[1])
        line = axes.axvline(median, color=INK, linewidth=1.6, linestyle=(0, (4, 2)), label="median")
        axes.legend(
            handles=[*axes.containers, line], loc="lower right", bbox_to_anchor=(1, 1), ncols=3
        )
    return figure


def _draw(axes: Axes, edges: IntArray, decided: IntArray, drawn: IntArray) -> None:
    width = int(edges[1] - edges[0])
    places = edges[:-1] + (width - 1) / 2
    bottom = np.zeros_like(decided)
    for label, games, face, edge, hatch in (
        ("decided", decided, GREY, "white", ""),
        ("drawn", drawn, "white", INK, "/////"),
    ):
        some = games > 0
        if some.any():
            axes.bar(
                places[some],
                games[some],
                width=width,
                bottom=bottom[some],
                color=face,
                edgecolor=edge,
                hatch=hatch,
                linewidth=0.5,
                label=label,
            )
        bottom = bottom + games
    room = max((_FEWEST_BARS - len(decided)) / 2, 0.5) * width
    axes.set_xlim(edges[0] - 0.5 - room, edges[-1] - 0.5 + room)
    axes.set_ylim(0, 1.05 * float(bottom.max()))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_xlabel("plies")
    axes.set_ylabel("games")
    axes.grid(axis="y", color=FAINT)


def _caption(games: int, drawn: int, width: int, median: float) -> str:
    bars = (
        "one length a bar" if width == 1 else f"{width} lengths a bar, from a multiple of {width}"
    )
    return (
        f"Games by their length in plies (moves by one side), the opening's included; {bars}. "
        f"The median is {median:g} plies: half of the games end by then. "
        f"{counted(games)}, {drawn:,} drawn; counts as they are, no model, no interval."
    )


def _bar_plies(span: int) -> int:
    fitting = (plies for plies in _BAR_PLIES if span <= plies * _MOST_BARS)
    return next(fitting, -(-span // _MOST_BARS))


def _median(plies: IntArray, games: IntArray) -> float:
    """Return the median over the games; ``plies`` are ascending."""
    upto = np.cumsum(games)
    middle = [(int(upto[-1]) + 1) // 2, int(upto[-1]) // 2 + 1]
    return float(plies[np.searchsorted(upto, middle)].mean())
