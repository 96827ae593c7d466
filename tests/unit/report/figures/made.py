"""Values to draw that nobody played, and what a drawn figure says."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axis import Axis
from matplotlib.figure import Figure, SubFigure
from matplotlib.text import Text

from harness.ratings.counts import PairingCount
from harness.ratings.crosstable import CrossTable, cross_table
from harness.ratings.observations import RatingHistory
from harness.ratings.robust import ClusterUnit
from harness.ratings.types import Bound, FirstMove, RatingRow, RatingTable
from harness.report.figures.canvas import style

HOSTILE = ("$x_1$", "$\\frac{$", "_a_", "e\x1b[31m\n", "W" * 64, "\N{SNOWMAN}\u202e", "a^b%&#{}~")
"""Names that are mathematics, control characters, wide, or in no font."""


def table(
    names: Sequence[str],
    *,
    elo: Sequence[float] | None = None,
    error: float | None = 40.0,
    games: int = 40,
    notices: Sequence[str] = (),
) -> RatingTable:
    """Return a table in which the bots stand 60 Elo apart, unless told otherwise."""
    bots = len(names)
    numbers = np.array([60.0 * (bots / 2 - place) for place in range(bots)] if elo is None else elo)
    leads = numbers[:, None] - numbers[None, :]
    los = np.vectorize(lambda lead: 0.5 * math.erfc(-lead / 60), otypes=[float])(leads)
    rows = tuple(
        RatingRow(
            rank=place,
            name=name,
            elo=float(number),
            error=error,
            bound=Bound.EXACT,
            median=None,
            games=games,
            wins=games // 2,
            draws=0,
            losses=games - games // 2,
            score=0.5,
            los_next=0.7,
            opponents=bots - 1,
        )
        for place, (name, number) in enumerate(zip(names, numbers, strict=True), 1)
    )
    return RatingTable(
        rows=rows,
        games=games * bots // 2,
        zero=f"0 is the mean of the {bots} rated bots",
        scale=(
            f"0 is the mean of the {bots} rated bots; +/- is a 95 % interval; "
            f"Davidson model; {games * bots // 2} games."
        ),
        notices=tuple(notices),
        first_move=FirstMove(20.0, 8.0),
        draw_rate=0.1,
        unit=ClusterUnit.GAME,
        anchor=None,
        rated=tuple(names),
        covariance=np.eye(bots),
        los=los,
        differ=np.abs(leads) > 100,
    )


def unknown(name: str, games: int = 0) -> RatingRow:
    """Return the row of a bot of which nothing is known."""
    return RatingRow(None, name, None, None, Bound.UNKNOWN, None, games, 0, 0, 0, None, None, 0)


def round_robin(names: Sequence[str], games: int = 20) -> CrossTable:
    """Return a cross table in which earlier names are better, on both sides."""
    counts = []
    for (place, first), (other, second) in itertools.permutations(enumerate(names), 2):
        wins = min(games - 1, max(0, round(games * (0.5 + 0.5 * (other - place) / len(names)))))
        counts.append(PairingCount(first, second, wins, 1, games - wins - 1))
    return cross_table(counts, names)


def history(names: Sequence[str], checkpoints: int = 20) -> RatingHistory:
    """Return ratings that come from far and settle 50 Elo apart, with an interval that narrows."""
    games = np.arange(1, checkpoints + 1) * 10
    ends = 50.0 * (len(names) / 2 - np.arange(len(names)))
    swing = np.sin(games[:, None] / 17 + np.arange(len(names))[None, :] * 2)
    elo = ends[None, :] + 300 * swing / np.sqrt(games)[:, None]
    error = np.repeat(600 / np.sqrt(games)[:, None], len(names), axis=1)
    return RatingHistory(tuple(names), games, elo, error, "0 is the mean of the rated bots.")


def drawn_texts(figure: Figure) -> list[str]:
    """Draw and return all texts; fails where one is cut off."""
    with style():
        figure.canvas.draw()
        texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
        width, height = figure.bbox.size
        for text in texts:
            box = text.get_window_extent()
            is_inside = box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1
            # a tick outside the limits keeps its text, which is not drawn
            assert is_inside or text.get_text() in _tick_texts(figure), text
    return [text.get_text() for text in texts]


def overlapping(texts: Sequence[Text]) -> list[tuple[str, str]]:
    """Return every two of these drawn texts that cover each other."""
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in texts]
    return [
        (one, other)
        for (one, box), (other, other_box) in itertools.combinations(boxes, 2)
        if box.overlaps(other_box)
    ]


def caption(figure: Figure) -> str:
    """Return the sentences below the figure, on one line."""
    panels: list[Figure | SubFigure] = [*figure.subfigs] or [figure]
    return " ".join(" ".join(panel.get_supxlabel().split()) for panel in panels)


def heading(figure: Figure) -> str:
    """Return the heading of the figure."""
    return figure.get_suptitle()


def png(figure: Figure) -> bytes:
    """Return the figure as a picture."""
    stream = io.BytesIO()
    with style():
        figure.savefig(stream, format="png", dpi=50, metadata={"Software": None})
    return stream.getvalue()


def svg(figure: Figure) -> bytes:
    """Return the figure as SVG."""
    stream = io.BytesIO()
    with style():
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


def _tick_texts(figure: Figure) -> set[str]:
    return {
        label.get_text() for axis in figure.findobj(Axis) for label in axis.get_majorticklabels()
    }
