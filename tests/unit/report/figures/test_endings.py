from __future__ import annotations

import matplotlib as mpl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from harness.play.types import Cause, CauseKind
from harness.ratings.observations import FORFEIT_CAUSES, EndingCount
from harness.report.figures import endings
from harness.report.figures.canvas import ALARM
from harness.report.figures.endings import endings_figure
from tests.unit.report.figures.made import caption, drawn_texts


def ending(first: str, second: str, cause: str, winner: str | None, games: int) -> EndingCount:
    return EndingCount(first, second, cause, winner, games, 50 * games, 0, 0, 9, 9)


GAMES = [
    ending("a", "b", "connection", "a", 5),
    ending("b", "a", "connection", "b", 1),
    ending("a", "b", "repetition", None, 2),
    ending("b", "a", "crash", "a", 2),
]
"""a: 7 won, 2 drawn, 1 lost of 10."""


def _panels(figure: Figure) -> dict[str, Axes]:
    return {axes.get_title(): axes for axes in figure.axes if axes.get_title()}


def _bars(axes: Axes) -> dict[tuple[str, int], tuple[float, float]]:
    """Start and end of every bar, by cause and row."""
    return {
        (str(bars.get_label()), round(bar.get_y() + bar.get_height() / 2)): (
            bar.get_x(),
            bar.get_x() + bar.get_width(),
        )
        for bars in axes.containers
        for bar in bars.get_children()
        if isinstance(bar, Rectangle)
    }


def test_the_causes_are_the_harness_s() -> None:
    assert list(endings._LOOKS).pop() == "other"
    assert set(endings._LOOKS) == {cause.value for cause in Cause} | {"other"}
    assert {cause.value for cause in Cause if cause.kind is CauseKind.FORFEIT} == FORFEIT_CAUSES


def test_bars_are_shares_of_the_bot_s_games_from_zero() -> None:
    panels = _panels(endings_figure(GAMES))
    assert list(panels) == ["lost", "drawn", "won"]
    assert _bars(panels["won"]) == {
        ("crash", 0): (0, 20),
        ("connection", 0): (20, 70),
        ("connection", 1): (0, 10),
    }
    assert _bars(panels["drawn"]) == {("repetition", 0): (0, 20), ("repetition", 1): (0, 20)}
    assert _bars(panels["lost"]) == {
        ("crash", 1): (0, 20),
        ("connection", 1): (20, 70),
        ("connection", 0): (0, 10),
    }
    left, right = panels["lost"].get_xlim()
    assert left > right == 0


def test_bots_come_by_their_share_of_the_points_and_then_by_name() -> None:
    figure = endings_figure(
        [ending("z", "y", "connection", "y", 1), ending("b", "a", "agreement", None, 7)]
    )
    labels = [label.get_text() for label in _panels(figure)["lost"].get_yticklabels()]
    assert labels == ["y", "a", "b", "z"]


def test_the_bot_s_own_forfeits_are_dark_and_counted() -> None:
    figure = endings_figure(GAMES)
    texts = drawn_texts(figure)
    assert "7-2-1" in texts
    assert "1-2-7, 2 forfeits" in texts
    faces = {
        title: mpl.colors.to_hex(bars.get_children()[0].get_facecolor())  # type: ignore[attr-defined]
        for title, axes in _panels(figure).items()
        for bars in axes.containers
        if bars.get_label() == "crash"
    }
    assert faces["lost"] == ALARM != faces["won"]
    assert "Dark red" in caption(figure)


def test_forfeits_are_the_darkest_in_grey() -> None:
    def grey(color: str) -> float:
        red, green, blue = mpl.colors.to_rgb(color)
        return 0.299 * red + 0.587 * green + 0.114 * blue

    others = [
        grey(face)
        for cause, look in endings._LOOKS.items()
        for face in (look.lost, look.otherwise)
        if face != ALARM or cause not in FORFEIT_CAUSES
    ]
    assert grey(ALARM) < min(others) - 0.2


def test_no_two_causes_look_the_same() -> None:
    looks = list(endings._LOOKS.values())
    assert len({(look.lost, look.hatch) for look in looks}) == len(looks)


def test_the_legend_names_the_causes_that_were_seen() -> None:
    texts = drawn_texts(endings_figure([*GAMES, ending("a", "b", "$odd$", "a", 1)]))
    assert {"connection", "repetition", "crash", "other"} <= set(texts)
    assert "time" not in texts


def test_the_caption_counts_games_once() -> None:
    text = caption(endings_figure(GAMES))
    assert "10 games" in text
    assert "50 % is equal" in text
    assert "Dark red" not in caption(endings_figure(GAMES[:3]))


def test_every_cause_at_once_fits() -> None:
    counts = [ending("a", "b", cause.value, "a", 1) for cause in Cause]
    counts.append(ending("a", "b", "odd", None, 1))
    drawn_texts(endings_figure(counts))


@pytest.mark.parametrize("bots", [2, 200])
def test_the_height_follows_the_bots(bots: int) -> None:
    counts = [
        ending(f"bot{number}", f"bot{(number + 1) % bots}", cause, f"bot{number}", 3)
        for number in range(bots)
        for cause in ("connection", "time")
    ]
    figure = endings_figure(counts)
    assert 0.2 * bots < figure.get_figheight() < 0.4 * bots + 3
    drawn_texts(figure)


def test_endings_without_games_are_nothing() -> None:
    assert "No games yet." in drawn_texts(endings_figure([ending("a", "b", "time", "a", 0)]))
