from __future__ import annotations

import io
import subprocess
import sys

import matplotlib as mpl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.ratings.counts import PairingCount
from harness.report.plots import elo_figure
from tests.unit.report.builders import rated, rows


def _drawn(figure: Figure) -> str:
    """Draw, so that layout and every text are tried, and return the SVG with texts as texts."""
    stream = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(stream, format="svg")
    return stream.getvalue()


def _panels(figure: Figure) -> list[Axes]:
    return [axes for panel in figure.subfigs for axes in panel.axes]


@pytest.mark.parametrize("bots", [2, 5, 40])
def test_the_height_follows_the_bots_and_names_are_there(bots: int) -> None:
    names = [f"bot{number}" for number in range(bots)]
    tables, _ = rated(rows(names))
    figure = elo_figure(tables)
    (axes,) = _panels(figure)
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        row.name for row in tables[0].rows
    ]
    assert 0.2 * bots < figure.get_figheight() < 0.4 * bots + 2
    _drawn(figure)


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
    assert "one-sided" in _drawn(figure)


def test_the_caption_says_scale_model_interval_and_games() -> None:
    tables, _ = rated(rows(["a", "b"]))
    text = " ".join(_drawn(elo_figure(tables)).split())
    for words in ("0 is the mean of the 2 rated bots", "95 % interval", "Davidson", "40 games"):
        assert words in text


def test_names_are_neither_mathematics_nor_control() -> None:
    names = ["$x_1$", "$\\frac{$", "a_b^c", "e\x1b[31m\n", "w" * 64]
    tables, _ = rated(rows(names))
    with mpl.rc_context({"text.usetex": True}):
        figure = elo_figure(tables)
    text = _drawn(figure)
    assert "$x_1$" in text
    assert "$\\frac{$" in text
    assert r"e\x1b[31m\n" in text
    assert "w" * 40 not in text


def test_several_tables_are_panels() -> None:
    tables, _ = rated([PairingCount("a", "b", 1, 0, 1), PairingCount("c", "d", 1, 0, 1)])
    assert len(_panels(elo_figure(tables))) == 2


def test_no_games_are_said() -> None:
    assert "No games yet" in _drawn(elo_figure(()))
    tables, _ = rated([], idle=["a", "b"])
    assert "without games" in _drawn(elo_figure(tables))


@pytest.mark.process
def test_pyplot_stays_out() -> None:
    code = (
        "import sys; from tests.unit.report.builders import rated, rows; "
        "from harness.report.plots import elo_figure; elo_figure(rated(rows(['a', 'b']))[0]); "
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
