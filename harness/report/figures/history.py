"""How the ratings settled while the games came in."""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from harness.ratings.observations import RatingHistory
from harness.report.figures.canvas import (
    FAINT,
    INK,
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
    lonely,
    named_places,
)

_WHAT: Final = "Elo by games played"
_HEIGHT: Final = 4.4


def history_figure(history: RatingHistory, title: str = "") -> Figure:
    """Return the ratings over the games, a line a bot, with 95 % bands for at most 6 bots.

    Of more than 20 bots the best and the worst 10 are named, the others faint.
    """
    heading = heading_text(title, _WHAT)
    with style():
        drawn = np.flatnonzero(np.isfinite(history.elo).any(axis=0)).tolist()
        if not drawn:
            return empty_figure(heading, "No ratings yet.")
        figure = new_figure(heading, [_caption(history, drawn)], _HEIGHT)
        axes = figure.subplots()
        named = [drawn[place] for place in named_places(len(drawn))]
        for bot in (bot for bot in drawn if bot not in named):
            axes.plot(history.games, history.elo[:, bot], color=FAINT, linewidth=0.7, zorder=1)
        ends = [_draw_bot(axes, history, bot, place) for place, bot in enumerate(named)]
        if len(drawn) <= MOST_BANDS:
            for place, bot in enumerate(named):
                _draw_band(axes, history, bot, line_style(place).color)
        _set_limits(axes, history, has_bands=len(drawn) <= MOST_BANDS)
        axes.set_xlabel("games played")
        axes.set_ylabel("Elo")
        axes.grid(axis="y")
        label_ends(figure, axes, ends)
    return figure


def _caption(history: RatingHistory, drawn: list[int]) -> str:
    bots = len(drawn)
    sentences = [
        "The rating of each bot after the first games of the schedule, "
        f"up to {counted(int(history.games[-1]))}.",
        history.caption,
    ]
    if bots <= MOST_BANDS:
        if _has_bands(history, drawn):
            sentences.append("Bands: 95 % intervals; early ones may leave the frame.")
    else:
        sentences.append(f"No intervals are drawn for more than {MOST_BANDS} bots.")
    named = len(named_places(bots))
    if named < bots:
        sentences.append(
            f"Named: the best {named // 2} and the worst {named // 2} of {bots} bots; "
            "faint: the others."
        )
    unrated = len(history.names) - bots
    if unrated:
        sentences.append(f"Without a rating: {counted(unrated, 'bot')}.")
    return " ".join(sentences)


def _has_bands(history: RatingHistory, drawn: list[int]) -> bool:
    return bool(np.isfinite(history.elo + history.error)[:, drawn].any())


def _draw_bot(axes: Axes, history: RatingHistory, bot: int, place: int) -> LineEnd:
    name, elo = history.names[bot], history.elo[:, bot]
    look = line_style(place)
    draw_line(axes, history.games.astype(np.float64), elo, look, name)
    last = np.flatnonzero(np.isfinite(elo))[-1]
    return LineEnd(name, float(history.games[last]), float(elo[last]), look.color)


def _draw_band(axes: Axes, history: RatingHistory, bot: int, color: str) -> None:
    elo, error = history.elo[:, bot], history.error[:, bot]
    axes.fill_between(
        history.games,
        elo - error,
        elo + error,
        where=np.isfinite(elo + error).tolist(),
        color=color,
        alpha=0.1,
        linewidth=0,
        zorder=1,
    )
    alone = np.flatnonzero(lonely(elo + error))
    axes.vlines(
        history.games[alone], (elo - error)[alone], (elo + error)[alone], color=color, alpha=0.4
    )


def _set_limits(axes: Axes, history: RatingHistory, *, has_bands: bool) -> None:
    """Let every line in, and the bands of the second half: the first ones are often huge."""
    elo = history.elo[np.isfinite(history.elo)]
    ends = [elo]
    if has_bands:
        late = slice(len(history.games) // 2, None)
        low, high = (history.elo + sign * history.error for sign in (-1, 1))
        ends += [band[late][np.isfinite(band[late])] for band in (low, high)]
    values = np.concatenate(ends)
    low_end, high_end = float(values.min()), float(values.max())
    room = max(0.06 * (high_end - low_end), 5)
    axes.set_ylim(low_end - room, high_end + room)
    if low_end - room < 0 < high_end + room:
        axes.axhline(0, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    first, last = int(history.games[0]), int(history.games[-1])
    side = max(0.02 * (last - first), 0.5)
    axes.set_xlim(first - side, last + side)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
