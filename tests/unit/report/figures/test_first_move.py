from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from harness.ratings.observations import OpeningScores
from harness.ratings.types import FirstMove
from harness.report.figures.first_move import first_move_figure
from tests.unit.report.figures.made import caption, drawn_texts, svg


def scores(
    games: Sequence[int], score: Sequence[float], expected: Sequence[float] | None = None
) -> OpeningScores:
    return OpeningScores(
        tuple(f"o{number}" for number in range(len(games))),
        np.array(games),
        np.array(score, dtype=np.float64),
        np.full(len(games), 0.5) if expected is None else np.array(expected, dtype=np.float64),
    )


def _dots(figure: Figure) -> dict[str, list[list[float]]]:
    return {
        str(dots.get_label()): np.asarray(dots.get_offsets()).tolist()
        for dots in figure.axes[0].collections
        if isinstance(dots, PathCollection)
    }


def _levels(figure: Figure) -> dict[str, float]:
    return {
        str(line.get_label()): float(np.asarray(line.get_ydata())[0])
        for line in figure.axes[0].get_lines()
    }


def test_openings_are_sorted_by_score_beside_what_is_expected() -> None:
    figure = first_move_figure(scores([4, 6, 4], [0.75, 0.25, 0.5], [0.6, 0.4, 0.5]), None)
    assert _dots(figure) == {
        "seen": [[1, 25], [2, 50], [3, 75]],
        "expected": [[1, 40], [2, 50], [3, 60]],
    }
    drawn_texts(figure)


def test_lines_stand_at_equal_and_at_the_mean_of_all_games() -> None:
    figure = first_move_figure(scores([30, 10], [0.6, 1.0]), None)
    assert _levels(figure) == {"equal": 50, "mean": pytest.approx(70)}
    assert "mean over all games is 70.0 %" in caption(figure)


def test_dots_grow_with_the_games() -> None:
    figure = first_move_figure(scores([10, 40], [0.2, 0.6]), None)
    small, large = figure.axes[0].collections[0].get_sizes()  # type: ignore[attr-defined]
    assert large == pytest.approx(4 * small)
    assert "10 to 40 games" in caption(figure)
    assert "the larger the dot" in caption(figure)
    assert "the larger the dot" not in caption(first_move_figure(scores([9, 9], [0.2, 0.6]), None))


def test_one_sided_openings_of_enough_games_are_marked() -> None:
    games, score = [8, 7, 20, 20, 100], [0.0, 1.0, 0.95, 0.975, 0.04]
    figure = first_move_figure(scores(games, score), None)
    marked = sorted(share for _, share in _dots(figure)["one-sided"])
    assert marked == pytest.approx([0, 4, 97.5])
    assert "(o0, o4, o3)" in caption(figure)
    assert "one-sided" not in _dots(first_move_figure(scores([7], [1.0]), None))


def test_of_many_one_sided_openings_some_are_named() -> None:
    text = caption(first_move_figure(scores([9] * 2000, [1.0] * 2000), None))
    assert "(o0, o1, o2, o3, o4 and 1,995 more)" in text


@pytest.mark.parametrize(
    ("first_move", "words"),
    [
        (None, "do not tell what the first move is worth"),
        (FirstMove(31.2, 8.7), "worth 31 +/- 9 Elo (95 % interval)"),
        (FirstMove(31.2, None), "worth 31 Elo, with no interval"),
    ],
)
def test_the_caption_says_scale_games_and_the_first_move(
    first_move: FirstMove | None, words: str
) -> None:
    text = caption(first_move_figure(scores([4, 6], [0.5, 0.75]), first_move))
    for part in (words, "50 % is equal", "2 openings", "10 games"):
        assert part in text


def test_openings_without_games_and_without_expectation_are_left_out() -> None:
    nan = float("nan")
    figure = first_move_figure(scores([0, 4], [nan, 0.5], [nan, nan]), None)
    assert _dots(figure) == {"seen": [[1, 50]]}
    assert "Expected" not in caption(figure)
    assert "No games yet." in drawn_texts(first_move_figure(scores([0], [nan]), None))


@pytest.mark.parametrize("count", [1, 10_000])
def test_one_opening_and_ten_thousand(count: int) -> None:
    figure = first_move_figure(scores([8] * count, np.linspace(0, 1, count).tolist()), None)
    drawn_texts(figure)
    assert len(_dots(figure)["seen"]) == count
    assert len(svg(figure)) < 1_000_000
