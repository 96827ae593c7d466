from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from harness.report.figures.history import history_figure
from tests.unit.report.figures.made import caption, drawn_texts, history, overlapping


def _lines(axes: Axes) -> dict[str, Line2D]:
    return {
        str(line.get_label()): line
        for line in axes.get_lines()
        if not str(line.get_label()).startswith("_")
    }


def _labels(figure: Figure) -> list[Any]:
    return list(figure.axes[0].texts)


def _bands(figure: Figure) -> list[PolyCollection]:
    return [band for band in figure.axes[0].collections if isinstance(band, PolyCollection)]


def test_lines_are_the_ratings_with_gaps() -> None:
    values = history(["a", "b", "c"])
    elo = values.elo.copy()
    elo[:4, 1] = elo[7, 1] = np.nan
    figure = history_figure(replace(values, elo=elo))
    for bot, (name, line) in enumerate(_lines(figure.axes[0]).items()):
        assert name == values.names[bot]
        assert np.array_equal(np.asarray(line.get_xdata()), values.games)
        assert np.array_equal(np.asarray(line.get_ydata()), elo[:, bot], equal_nan=True)
    drawn_texts(figure)


def test_a_rating_between_two_gaps_is_marked() -> None:
    values = history(["a", "b"])
    elo = values.elo.copy()
    elo[[1, 3], 0] = np.nan
    (line, _) = _lines(history_figure(replace(values, elo=elo)).axes[0]).values()
    assert {0, 2, 19} <= set(line.get_markevery())  # type: ignore[arg-type]


def test_every_label_points_to_the_end_of_its_line() -> None:
    values = history(["a", "b"])
    elo = values.elo.copy()
    elo[15:, 1] = np.nan
    ends = {note.get_text(): note.xy for note in _labels(history_figure(replace(values, elo=elo)))}
    assert ends == {"a": (200, elo[-1, 0]), "b": (150, elo[14, 1])}


@pytest.mark.parametrize("bots", [1, 6, 200])
def test_labels_do_not_overlap(bots: int) -> None:
    values = history([f"bot{number}" for number in range(bots)])
    together = np.repeat(values.elo[:, :1], bots, axis=1)
    figure = history_figure(replace(values, elo=together))
    drawn_texts(figure)
    labels = _labels(figure)
    assert len(labels) == min(bots, 20)
    assert overlapping(labels) == []


def test_few_bots_have_bands() -> None:
    values = history([f"bot{number}" for number in range(6)])
    figure = history_figure(values)
    assert len(_bands(figure)) == 6
    (path,) = _bands(figure)[0].get_paths()
    last = np.asarray(path.vertices)[np.asarray(path.vertices)[:, 0] == 200]
    elo, error = values.elo[-1, 0], values.error[-1, 0]
    assert (last[:, 1].min(), last[:, 1].max()) == pytest.approx((elo - error, elo + error))
    assert "95 % intervals" in caption(figure)


def test_all_lines_and_the_last_intervals_are_in_the_frame() -> None:
    values = history(["a", "b"])
    low, high = history_figure(values).axes[0].get_ylim()
    assert low < values.elo.min()
    assert high > values.elo.max()
    assert low < (values.elo - values.error)[-1].min()
    assert high > (values.elo + values.error)[-1].max()


def test_more_bots_have_none_and_it_is_said() -> None:
    figure = history_figure(history([f"bot{number}" for number in range(7)]))
    assert not _bands(figure)
    assert "No intervals" in caption(figure)


def test_of_many_bots_the_best_and_the_worst_are_named() -> None:
    figure = history_figure(history([f"bot{number}" for number in range(50)]))
    assert list(_lines(figure.axes[0])) == [
        f"bot{number}" for number in [*range(10), *range(40, 50)]
    ]
    assert "the best 10 and the worst 10 of 50 bots" in caption(figure)


def test_the_caption_says_what_zero_is_and_the_games() -> None:
    text = caption(history_figure(history(["a", "b"])))
    assert "0 is the mean of the rated bots." in text
    assert "200 games" in text


def test_bots_without_a_rating_are_counted() -> None:
    values = history(["a", "b", "c"])
    elo = values.elo.copy()
    elo[:, 2] = np.nan
    figure = history_figure(replace(values, elo=elo))
    assert [note.get_text() for note in _labels(figure)] == ["a", "b"]
    assert "Without a rating: 1 bot." in caption(figure)
    assert drawn_texts(history_figure(replace(values, elo=np.full_like(elo, np.nan))))[1] == (
        "No ratings yet."
    )


def test_one_checkpoint_is_a_dot_with_its_interval() -> None:
    figure = history_figure(history(["a"], checkpoints=1))
    drawn_texts(figure)
    low, high = figure.axes[0].get_xlim()
    assert [tick for tick in figure.axes[0].get_xticks() if low <= tick <= high] == [10]
    assert any(
        len(collection.get_paths()) == 1
        for collection in figure.axes[0].collections
        if not isinstance(collection, PolyCollection)
    )
