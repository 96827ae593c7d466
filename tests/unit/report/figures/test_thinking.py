from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from harness.ratings.observations import PlyTime, ThinkingTimes
from harness.report.figures.thinking import thinking_figure
from tests.unit.report.figures.made import caption, drawn_texts, overlapping


def times(medians: dict[str, list[float]], sampled: int = 9, games: int = 9) -> ThinkingTimes:
    return ThinkingTimes(
        tuple(
            PlyTime(bot, move, 9, median / 2, median, 2 * median)
            for bot, column in medians.items()
            for move, median in enumerate(column, 1)
        ),
        sampled,
        games,
    )


def _lines(figure: Figure) -> dict[str, Line2D]:
    return {
        str(line.get_label()): line
        for line in figure.axes[0].get_lines()
        if not str(line.get_label()).startswith("_")
    }


def _heights(line: Line2D) -> list[float]:
    return [float(height) for height in np.asarray(line.get_ydata())]


def test_lines_are_the_medians_longest_thinker_first() -> None:
    figure = thinking_figure(times({"quick": [0.1, 0.2], "slow": [0.5, 0.4, 0.3]}))
    assert {name: _heights(line) for name, line in _lines(figure).items()} == {
        "slow": [0.5, 0.4, 0.3],
        "quick": [0.1, 0.2],
    }
    assert list(_lines(figure)) == ["slow", "quick"]
    assert figure.axes[0].get_yscale() == "linear"
    assert figure.axes[0].get_ylim()[0] == 0
    drawn_texts(figure)


def test_bands_are_the_quartiles() -> None:
    figure = thinking_figure(times({"a": [0.1, 0.2]}))
    (band,) = (band for band in figure.axes[0].collections if isinstance(band, PolyCollection))
    vertices = np.asarray(band.get_paths()[0].vertices)
    assert set(vertices[vertices[:, 0] == 2][:, 1]) == {0.1, 0.4}
    assert "quartiles" in caption(figure)


def test_a_wide_range_is_logarithmic_and_zero_stands_at_its_edge() -> None:
    figure = thinking_figure(times({"a": [0.001, 0.0, 0.004], "b": [1.0, 2.0, 3.0]}))
    assert figure.axes[0].get_yscale() == "log"
    assert _heights(_lines(figure)["a"]) == [0.001, 0.0005, 0.004]
    assert figure.axes[0].get_ylim()[0] < 0.0005
    assert "Medians of 0 s stand at the lower edge" in caption(figure)
    texts = drawn_texts(figure)
    assert {"1 ms", "1 s"} <= set(texts)


def test_no_zero_is_said_where_there_is_none() -> None:
    assert "0 s" not in caption(thinking_figure(times({"a": [0.001], "b": [1.0]})))


@pytest.mark.parametrize("medians", [[0.0], [0.0, 0.0], [1e-9, 0.0], [1e-9, 1e9]])
def test_extreme_times_are_drawn(medians: list[float]) -> None:
    figure = thinking_figure(times({"a": medians}))
    drawn_texts(figure)
    assert np.isfinite(figure.axes[0].get_ylim()).all()


def test_missing_moves_are_gaps() -> None:
    plies = tuple(PlyTime("a", move, 3, 0.1, 0.2, 0.3) for move in (4, 2, 7))
    (line,) = _lines(thinking_figure(ThinkingTimes(plies, 3, 3))).values()
    assert np.asarray(line.get_xdata()).tolist() == [2, 3, 4, 5, 6, 7]
    assert np.isnan(_heights(line)).tolist() == [False, True, False, True, True, False]


@pytest.mark.parametrize("bots", [7, 200])
def test_many_bots(bots: int) -> None:
    figure = thinking_figure(times({f"bot{number:03}": [1.0, 1.0] for number in range(bots)}))
    drawn_texts(figure)
    labels = list(figure.axes[0].texts)
    assert len(labels) == len(_lines(figure)) == min(bots, 20)
    assert overlapping(labels) == []
    assert "No quartiles are drawn for more than 6 bots" in caption(figure)
    assert ("faint: the others" in caption(figure)) == (bots > 20)


def test_the_caption_says_the_sample() -> None:
    assert "A sample of 9 of 1,200 games." in caption(thinking_figure(times({"a": [1.0]}, 9, 1200)))
    assert "9 games." in caption(thinking_figure(times({"a": [1.0]})))
