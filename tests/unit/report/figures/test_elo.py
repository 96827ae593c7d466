from __future__ import annotations

from dataclasses import replace

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.ratings.counts import PairingCount
from harness.report.figures.elo import elo_figure
from tests.unit.report.builders import rated, rows
from tests.unit.report.figures.made import caption, drawn_texts, table, unknown


def _panels(figure: Figure) -> list[Axes]:
    return [axes for panel in figure.subfigs for axes in panel.axes]


@pytest.mark.parametrize("bots", [1, 2, 5, 200])
def test_the_height_follows_the_bots_and_names_are_there(bots: int) -> None:
    names = [f"bot{number}" for number in range(bots)]
    figure = elo_figure([table(names)])
    (axes,) = _panels(figure)
    assert [label.get_text() for label in axes.get_yticklabels()] == names
    assert 0.2 * bots < figure.get_figheight() < 0.4 * bots + 2
    drawn_texts(figure)


def test_dots_and_bars_are_the_table() -> None:
    tables, _ = rated(rows(["a", "b", "c"]))
    (axes,) = _panels(elo_figure(tables))
    for place, (row, drawn) in enumerate(zip(tables[0].rows, axes.containers, strict=True)):
        dot, _, (bar,) = drawn.lines  # type: ignore[attr-defined]
        assert (list(dot.get_xdata()), list(dot.get_ydata())) == ([row.elo], [place])
        (segment,) = bar.get_segments()
        assert segment[:, 0].tolist() == pytest.approx([row.low, row.high])


def test_bounds_are_arrows_that_point_away() -> None:
    results = [PairingCount("a", "b", 5, 1, 5), PairingCount("b", "a", 5, 1, 5)]
    results += [PairingCount("top", "a", 9, 0, 0), PairingCount("a", "low", 9, 0, 0)]
    tables, _ = rated(results, idle=["idle"])
    figure = elo_figure(tables)
    (axes,) = _panels(figure)
    arrows = {note.xy[1]: note.xyann[0] for note in axes.texts}  # type: ignore[attr-defined]
    assert arrows[0] > 0
    assert arrows[3] < 0
    assert len(arrows) == 2
    assert len(axes.containers) == 2
    assert "one-sided" in caption(figure)


def test_the_caption_says_scale_model_interval_and_games() -> None:
    tables, _ = rated(rows(["a", "b"]))
    text = caption(elo_figure(tables))
    for words in ("0 is the mean of the 2 rated bots", "95 % interval", "Davidson", "40 games"):
        assert words in text


def test_several_tables_are_panels_with_headings_of_their_own() -> None:
    figure = elo_figure([table(["a", "b"]), table(["c", "d"], notices=["apart"])], "cup")
    assert len(_panels(figure)) == 2
    headings = [panel.get_suptitle() for panel in figure.subfigs]
    assert headings == ["cup: Elo, table 1 of 2", "cup: Elo, table 2 of 2"]
    assert caption(figure).endswith("Note: apart.")
    drawn_texts(figure)


def test_bots_without_games_have_a_row() -> None:
    idle = replace(table([]), rows=(unknown("a"), unknown("b")), notices=("without games: a, b",))
    figure = elo_figure([idle])
    assert "?, 0 games" in drawn_texts(figure)
    assert "without games" in caption(figure)
