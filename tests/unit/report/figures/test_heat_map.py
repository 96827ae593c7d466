from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.ratings.counts import PairingCount
from harness.ratings.crosstable import cross_table
from harness.report.figures.heat_map import heat_map_figure
from tests.unit.report.builders import rated, rows
from tests.unit.report.figures.made import (
    caption,
    drawn_texts,
    overlapping,
    round_robin,
    table,
    unknown,
)


def _map(figure: Figure) -> Axes:
    return figure.axes[0]


def _shares(figure: Figure) -> list[list[float]]:
    image = _map(figure).images[0].get_array()
    assert image is not None
    return [[float(cell) for cell in row] for row in np.ma.filled(image, np.nan)]


def _cell_texts(figure: Figure) -> dict[tuple[int, int], list[str]]:
    found: dict[tuple[int, int], list[str]] = {}
    for text in _map(figure).texts:
        column, row = (round(place) for place in text.get_position())
        found.setdefault((row, column), []).append(text.get_text())
    return found


def test_cells_are_the_rows_score_against_the_column_on_both_sides() -> None:
    cross = cross_table([PairingCount("a", "b", 3, 1, 0), PairingCount("b", "a", 0, 2, 2)])
    figure = heat_map_figure(table(["b", "a"]), cross)
    assert _shares(figure) == [
        [pytest.approx(np.nan, nan_ok=True), pytest.approx(100 * 1.5 / 8)],
        [pytest.approx(100 * 6.5 / 8), pytest.approx(np.nan, nan_ok=True)],
    ]
    assert [label.get_text() for label in _map(figure).get_yticklabels()] == ["b", "a"]
    assert [label.get_text() for label in _map(figure).get_xticklabels()] == ["b", "a"]
    assert "8 games" in caption(figure)


def test_los_and_stars_stand_where_both_bots_are_rated() -> None:
    names = ["a", "b", "c"]
    base = table(names)
    judged = replace(
        base,
        rated=("c", "a"),
        los=np.array([[0.5, 0.004], [0.996, 0.5]]),
        differ=np.array([[False, True], [True, False]]),
    )
    texts = _cell_texts(heat_map_figure(judged, round_robin(names)))
    assert texts[0, 2][0].endswith("%*")
    assert texts[0, 2][1] == "LOS >99"
    assert texts[2, 0][1] == "LOS <1"
    assert len(texts[0, 1]) == len(texts[1, 2]) == 1
    assert not any(words[0].endswith("*") for place, words in texts.items() if 1 in place)


def test_what_only_rounds_to_all_or_nothing_is_not_called_so() -> None:
    cross = cross_table(
        [
            PairingCount("a", "b", 999, 1, 0),
            PairingCount("a", "c", 10, 0, 0),
            PairingCount("b", "c", 1, 1, 0),
        ]
    )
    texts = _cell_texts(heat_map_figure(table(["a", "b", "c"], elo=[0, 0, 0]), cross))
    assert {place: words[0] for place, words in texts.items()} == {
        (0, 1): ">99 %",
        (1, 0): "<1 %",
        (0, 2): "100 %",
        (2, 0): "0 %",
        (1, 2): "75 %",
        (2, 1): "25 %",
    }


def test_the_caption_says_scale_model_interval_and_games() -> None:
    names = ["a", "b", "c"]
    text = caption(heat_map_figure(table(names), round_robin(names)))
    for words in ("50 % is equal", "LOS: likelihood", "Tukey", "Davidson model", "120 games"):
        assert words in text
    close = caption(heat_map_figure(table(names, elo=[1, 0, -1]), round_robin(names)))
    assert "Tukey" not in close


def test_bots_without_games_are_left_out() -> None:
    judged = table(["a", "b"])
    judged = replace(judged, rows=(*judged.rows, unknown("idle")))
    assert len(_shares(heat_map_figure(judged, round_robin(["a", "b"])))) == 2


def test_a_table_whose_bots_never_met_says_so() -> None:
    assert "No games between these bots." in drawn_texts(
        heat_map_figure(table(["a", "b"]), cross_table([PairingCount("a", "c", 1, 0, 0)]))
    )


def test_real_tables_are_drawn() -> None:
    results = [*rows(["a", "b", "c"]), PairingCount("a", "low", 9, 0, 0)]
    tables, cross = rated(results)
    assert len(_shares(heat_map_figure(tables[0], cross))) == 4


@pytest.mark.parametrize("bots", [2, 5, 20])
def test_texts_of_the_cells_do_not_overlap(bots: int) -> None:
    names = [f"bot{number}" for number in range(bots)]
    figure = heat_map_figure(table(names), round_robin(names))
    drawn_texts(figure)
    row = [text for text in _map(figure).texts if round(text.get_position()[1]) == 1]
    assert len(row) == 2 * (bots - 1)
    assert overlapping(row) == []


@pytest.mark.parametrize(("bots", "step"), [(21, 1), (40, 1), (41, 2), (200, 5)])
def test_many_bots_have_colours_only_and_fewer_labels(bots: int, step: int) -> None:
    names = [f"bot{number}" for number in range(bots)]
    figure = heat_map_figure(table(names), round_robin(names))
    drawn_texts(figure)
    axes = _map(figure)
    assert not axes.texts
    assert list(axes.get_yticks()) == list(range(0, bots, step))
    assert overlapping(axes.get_yticklabels()) == []
    assert overlapping(axes.get_xticklabels()) == []
    assert "LOS" not in caption(figure)
    assert ("some named" in caption(figure)) == (step > 1)
    assert figure.get_figwidth() < 14


def test_the_map_reads_in_grey_and_its_texts_stand_out() -> None:
    names = [f"bot{number}" for number in range(12)]
    axes = _map(heat_map_figure(table(names), round_robin(names)))
    cmap = axes.images[0].get_cmap()

    def luminance(color: tuple[float, ...]) -> float:
        levels = [
            level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4
            for level in color[:3]
        ]
        return float(np.dot([0.2126, 0.7152, 0.0722], levels))

    rising = [luminance(cmap(share)) for share in np.linspace(0, 1, 50)]
    assert rising == sorted(rising)
    assert rising[-1] > 10 * rising[0]
    image = axes.images[0].get_array()
    assert image is not None
    for text in axes.texts:
        column, row = (round(place) for place in text.get_position())
        cell = luminance(cmap(image[row, column] / 100)) + 0.05
        ink = luminance(mpl.colors.to_rgba(text.get_color())) + 0.05
        assert max(cell, ink) / min(cell, ink) > 4.5
