from __future__ import annotations

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from harness.ratings.observations import LengthCount
from harness.report.figures.lengths import lengths_figure
from tests.unit.report.figures.made import caption, drawn_texts


def _bars(figure: Figure) -> dict[str, list[tuple[float, float, float, float]]]:
    """Left, right, bottom and top of the bars."""
    return {
        str(bars.get_label()): [
            (
                bar.get_x(),
                bar.get_x() + bar.get_width(),
                bar.get_y(),
                bar.get_y() + bar.get_height(),
            )
            for bar in bars.get_children()
            if isinstance(bar, Rectangle)
        ]
        for bars in figure.axes[0].containers
    }


def test_drawn_games_stand_on_decided_ones() -> None:
    counts = [LengthCount(31, True, 2), LengthCount(30, False, 5), LengthCount(31, False, 3)]
    figure = lengths_figure(counts)
    assert _bars(figure) == {
        "decided": [(29.5, 30.5, 0, 5), (30.5, 31.5, 0, 3)],
        "drawn": [(30.5, 31.5, 3, 5)],
    }
    drawn_texts(figure)


def test_wide_bars_begin_at_a_multiple_and_hold_all_games() -> None:
    counts = [LengthCount(plies, plies % 3 == 0, 1) for plies in range(33, 333)]
    figure = lengths_figure(counts)
    decided, drawn = _bars(figure).values()
    assert decided[0][:2] == (29.5, 39.5)
    assert sum(top - bottom for _, _, bottom, top in decided) == 200
    assert sum(top - bottom for _, _, bottom, top in drawn) == 100
    assert "10 lengths a bar, from a multiple of 10" in caption(figure)


@pytest.mark.parametrize(
    ("counts", "median"),
    [
        ([(30, 1)], 30),
        ([(30, 1), (40, 1)], 35),
        ([(30, 2), (40, 1), (50, 100)], 50),
        ([(50, 1), (30, 2), (40, 2)], 40),
        ([(30, 10**9), (41, 10**9)], 35.5),
    ],
)
def test_the_median_is_that_of_the_games(counts: list[tuple[int, int]], median: float) -> None:
    figure = lengths_figure([LengthCount(plies, False, games) for plies, games in counts])
    (line,) = figure.axes[0].get_lines()
    assert list(line.get_xdata()) == [median, median]  # type: ignore[arg-type]
    assert f"median is {median:g} plies" in caption(figure)
    drawn_texts(figure)


def test_the_caption_counts() -> None:
    text = caption(lengths_figure([LengthCount(9, True, 1000), LengthCount(8, False, 234)]))
    assert "1,234 games, 1,000 drawn" in text
    assert "no interval" in text


def test_the_order_of_the_counts_is_nothing() -> None:
    counts = [LengthCount(31, True, 2), LengthCount(30, False, 5), LengthCount(31, False, 3)]
    assert _bars(lengths_figure(counts)) == _bars(lengths_figure(counts[::-1]))


def test_lengths_without_games_are_nothing() -> None:
    assert "No games yet." in drawn_texts(lengths_figure([LengthCount(30, False, 0)]))


def test_a_very_long_game_still_leaves_few_bars() -> None:
    figure = lengths_figure([LengthCount(1, False, 1), LengthCount(1_000_000, True, 1)])
    assert len(_bars(figure)["drawn"]) == 1
    drawn_texts(figure)
