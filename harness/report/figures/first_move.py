"""What moving first was worth, opening by opening."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from harness.ratings.counts import BoolArray, FloatArray, IntArray
from harness.ratings.observations import OpeningScores
from harness.ratings.types import FirstMove, half_width_text
from harness.report.figures.canvas import (
    ALARM,
    GREY,
    INK,
    counted,
    empty_figure,
    heading_text,
    new_figure,
    style,
)
from harness.report.sheet import plain_name

_WHAT: Final = "the first mover's score by opening"
_HEIGHT: Final = 3.6
_ONE_SIDED: Final = 0.95
_FEWEST_GAMES: Final = 8
_MOST_LISTED: Final = 5
_NAME_CHARACTERS: Final = 24
_LARGEST_DOT: Final = 45.0
_SMALLEST_DOT: Final = 3.0
_PALE: Final = "#b0b8c4"
_MANY: Final = 1000
"""Openings beyond which dots are an image in a vector file too, and the small marks pale."""


@dataclass(frozen=True, slots=True, eq=False)
class _Played:
    """The openings that were played, lowest score first."""

    openings: tuple[str, ...]
    games: IntArray
    score: FloatArray
    expected: FloatArray

    @property
    def is_one_sided(self) -> BoolArray:
        is_extreme = np.maximum(self.score, 1 - self.score) > _ONE_SIDED
        return np.asarray(is_extreme & (self.games >= _FEWEST_GAMES), dtype=np.bool_)

    @property
    def mean(self) -> float:
        return float(np.average(self.score, weights=self.games))


def first_move_figure(
    openings: OpeningScores, first_move: FirstMove | None, title: str = ""
) -> Figure:
    """Return the first mover's share of the points in every opening, lowest first.

    Beside it is what the model expects of the bots that played it. Openings in which one colour
    took more than 95 % of the points of at least 8 games are marked.
    """
    heading = heading_text(title, _WHAT)
    with style():
        played = _played(openings)
        if not played.openings:
            return empty_figure(heading, "No games yet.")
        figure = new_figure(heading, [_caption(played, first_move)], _HEIGHT)
        axes = figure.subplots()
        _draw(axes, played)
        count = len(played.openings)
        side = max(0.015 * count, 0.6)
        ticks = MaxNLocator(8, integer=True, min_n_ticks=1).tick_values(1, count)
        axes.set_xlim(1 - side, count + side)
        axes.set_xticks([tick for tick in ticks if 1 <= tick <= count])
        axes.set_ylim(-4, 104)
        axes.set_yticks(range(0, 101, 25))
        axes.grid(axis="y")
        axes.set_xlabel("openings, by the first mover's score")
        axes.set_ylabel("first mover's score in %")
    return figure


def _played(openings: OpeningScores) -> _Played:
    keys = np.where(openings.games > 0, openings.score, np.inf)
    order = np.argsort(keys, kind="stable")[: np.count_nonzero(openings.games > 0)]
    return _Played(
        tuple(openings.openings[place] for place in order),
        openings.games[order],
        openings.score[order],
        openings.expected[order],
    )


def _draw(axes: Axes, played: _Played) -> None:
    count = len(played.openings)
    places = np.arange(1, count + 1)
    is_image = count > _MANY
    sizes = _sizes(played.games)
    largest = float(sizes.max())
    handles: list[Artist] = [
        axes.scatter(
            places,
            100 * played.score,
            s=sizes,
            color=INK,
            linewidth=0,
            label="seen",
            rasterized=is_image,
            zorder=3,
        )
    ]
    if np.isfinite(played.expected).any():
        expected = axes.scatter(
            places,
            100 * played.expected,
            s=max(largest * 0.8, 6),
            marker="_",
            color=_PALE if is_image else GREY,
            linewidth=1,
            label="expected",
            rasterized=is_image,
        )
        handles.append(expected)
    marked = played.is_one_sided
    if marked.any():
        one_sided = axes.scatter(
            places[marked],
            100 * played.score[marked],
            s=max(largest * 2.2, 14),
            marker="D",
            facecolor="none",
            edgecolor=ALARM,
            linewidth=1.2 if largest > 14 else 0.6,
            label="one-sided",
            rasterized=is_image,
            zorder=4,
        )
        handles.append(one_sided)
    handles.append(axes.axhline(100 * played.mean, color=INK, linewidth=1.4, label="mean"))
    handles.append(axes.axhline(50, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), label="equal"))
    axes.legend(handles=handles, loc="lower right", bbox_to_anchor=(1, 1), ncols=len(handles))


def _sizes(games: IntArray) -> FloatArray:
    """Return the area of each dot in square points: it grows with the games."""
    largest = float(np.clip(9000 / len(games), _SMALLEST_DOT, _LARGEST_DOT))
    return np.asarray(np.maximum(largest * games / games.max(), _SMALLEST_DOT), dtype=np.float64)


def _caption(played: _Played, first_move: FirstMove | None) -> str:
    fewest, most = int(played.games.min()), int(played.games.max())
    each = counted(most) if fewest == most else f"{fewest:,} to {counted(most)}"
    sentences = [
        "Share of the points that the first mover took in each opening; 50 % is equal. "
        f"{counted(len(played.openings), 'opening')} of {each}, "
        f"{counted(int(played.games.sum()))} in all"
        + ("." if fewest == most else "; the larger the dot, the more games."),
        f"The mean over all games is {100 * played.mean:.1f} %.",
    ]
    if np.isfinite(played.expected).any():
        sentences.append(
            "Expected: by the ratings of the bots that played it, if openings made no difference."
        )
    if first_move is None:
        sentences.append("These games do not tell what the first move is worth in Elo.")
    else:
        worth = f"By the model the first move is worth {round(first_move.elo)}"
        if first_move.error is None:
            sentences.append(f"{worth} Elo, with no interval to tell.")
        else:
            error = half_width_text(first_move.error)
            sentences.append(f"{worth} +/- {error} Elo (95 % interval).")
    marked = np.flatnonzero(played.is_one_sided).tolist()
    if marked:
        names = ", ".join(
            plain_name(played.openings[place], _NAME_CHARACTERS) for place in marked[:_MOST_LISTED]
        )
        more = f" and {len(marked) - _MOST_LISTED:,} more" if len(marked) > _MOST_LISTED else ""
        sentences.append(
            f"One-sided: one colour took more than 95 % of the points of at least "
            f"{_FEWEST_GAMES} games ({names}{more})."
        )
    return " ".join(sentences)
