"""How long the bots thought, move by move."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator, NullFormatter

from harness.ratings.counts import FloatArray
from harness.ratings.observations import PlyTime, ThinkingTimes
from harness.report.figures.canvas import (
    FAINT,
    counted,
    empty_figure,
    heading_text,
    new_figure,
    style,
)
from harness.report.figures.lines import (
    MOST_BANDS,
    LineEnd,
    draw_line,
    label_ends,
    line_style,
    named_places,
)

_WHAT: Final = "thinking time by move"
_HEIGHT: Final = 4.4
_LOG_FROM: Final = 30.0
"""Largest over smallest median from which a linear scale would hide the small ones."""
_WIDE_DECADES: Final = 3


def thinking_figure(times: ThinkingTimes, title: str = "") -> Figure:
    """Return the median thinking time by own move number, a line a bot, with quartile bands.

    The bots are in the order of their mean thinking time, longest first; of more than 20 the
    first and the last 10 are named. The scale is logarithmic where the medians ask for it.
    """
    heading = heading_text(title, _WHAT)
    with style():
        plies = _by_bot(times.plies)
        if not plies:
            return empty_figure(heading, "No thinking times to show.")
        names = sorted(plies, key=lambda name: (-_mean(plies[name]), name))
        medians = np.array([ply.median for name in names for ply in plies[name]])
        positive = medians[medians > 0]
        is_log = bool(positive.size and positive.max() > _LOG_FROM * positive.min())
        floor = float(positive.min()) / 2 if is_log else 0.0
        caption = _caption(times, len(names), has_lifted=is_log and positive.size < medians.size)
        figure = new_figure(heading, [caption], _HEIGHT)
        axes = figure.subplots()
        if is_log:
            axes.set_yscale("log")
        named = [names[place] for place in named_places(len(names))]
        for name in names:
            if name not in named:
                moves, median = _columns(plies[name], floor)[:2]
                axes.plot(moves, median, color=FAINT, linewidth=0.7, zorder=1)
        has_bands = len(names) <= MOST_BANDS
        ends = [
            _draw_bot(axes, plies[name], place, floor, has_band=has_bands)
            for place, name in enumerate(named)
        ]
        _set_scale(axes, times.plies, floor, has_bands=has_bands)
        label_ends(figure, axes, ends)
    return figure


def _by_bot(plies: Sequence[PlyTime]) -> Mapping[str, list[PlyTime]]:
    found: defaultdict[str, list[PlyTime]] = defaultdict(list)
    for ply in sorted(plies):
        found[ply.bot].append(ply)
    return found


def _mean(plies: Sequence[PlyTime]) -> float:
    return sum(ply.games * ply.median for ply in plies) / max(sum(ply.games for ply in plies), 1)


def _caption(times: ThinkingTimes, bots: int, *, has_lifted: bool) -> str:
    sentences = ["Median time that each bot took for its 1st, 2nd, ... own move after the opening."]
    if bots <= MOST_BANDS:
        sentences.append("Bands: the middle half of its times (quartiles), no model.")
    else:
        sentences.append(f"No quartiles are drawn for more than {MOST_BANDS} bots; no model.")
    named = len(named_places(bots))
    if named < bots:
        sentences.append(
            f"Named: the {named // 2} of {bots} bots that thought the longest and the "
            f"{named // 2} that thought the shortest; faint: the others."
        )
    if has_lifted:
        sentences.append("Medians of 0 s stand at the lower edge of the logarithmic scale.")
    sentences.append(
        counted(times.games) + "."
        if times.sampled >= times.games
        else f"A sample of {times.sampled:,} of {counted(times.games)}."
    )
    return " ".join(sentences)


def _columns(plies: Sequence[PlyTime], floor: float) -> tuple[FloatArray, ...]:
    """Return moves, medians and quartiles, with nan where moves are missing."""
    last = plies[-1].move
    moves = np.arange(plies[0].move, last + 1, dtype=np.float64)
    columns = np.full((3, len(moves)), np.nan)
    for ply in plies:
        columns[:, ply.move - plies[0].move] = ply.median, ply.low, ply.high
    return moves, *np.maximum(columns, floor)


def _draw_bot(
    axes: Axes, plies: Sequence[PlyTime], place: int, floor: float, *, has_band: bool
) -> LineEnd:
    moves, median, low, high = _columns(plies, floor)
    look = line_style(place)
    if has_band:
        axes.fill_between(moves, low, high, color=look.color, alpha=0.1, linewidth=0, zorder=1)
    name = plies[0].bot
    draw_line(axes, moves, median, look, name)
    return LineEnd(name, float(moves[-1]), float(median[-1]), look.color)


def _set_scale(axes: Axes, plies: Sequence[PlyTime], floor: float, *, has_bands: bool) -> None:
    high = max(floor, *(ply.high if has_bands else ply.median for ply in plies))
    low = min(ply.low if has_bands else ply.median for ply in plies)
    if floor > 0:
        low = max(low, floor)
        axes.set_ylim(low / 1.25, high * 1.25)
        is_wide = high > low * 10**_WIDE_DECADES
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0,) if is_wide else (1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, 1.06 * high if high > 0 else 1)
    axes.yaxis.set_major_formatter(EngFormatter(unit="s"))
    moves = [ply.move for ply in plies]
    side = max(0.02 * (max(moves) - min(moves)), 0.5)
    axes.set_xlim(min(moves) - side, max(moves) + side)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.set_xlabel("own move after the opening")
    axes.set_ylabel("thinking time")
    axes.grid(axis="y")
