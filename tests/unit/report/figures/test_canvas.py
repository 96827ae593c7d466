from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from harness.ratings.crosstable import cross_table
from harness.ratings.observations import (
    EndingCount,
    LengthCount,
    OpeningScores,
    PlyTime,
    RatingHistory,
    ThinkingTimes,
)
from harness.report.figures.canvas import caption_lines, heading_text, style, text_width
from harness.report.figures.elo import elo_figure
from harness.report.figures.endings import endings_figure
from harness.report.figures.first_move import first_move_figure
from harness.report.figures.heat_map import heat_map_figure
from harness.report.figures.history import history_figure
from harness.report.figures.lengths import lengths_figure
from harness.report.figures.thinking import thinking_figure
from tests.unit.report.figures.made import (
    HOSTILE,
    drawn_texts,
    history,
    png,
    round_robin,
    svg,
    table,
)

NO_SCORES = OpeningScores((), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
NO_HISTORY = RatingHistory((), np.zeros(0, np.int64), np.zeros((0, 0)), np.zeros((0, 0)), "")

EMPTY: dict[str, Callable[[str], Figure]] = {
    "elo": lambda title: elo_figure((), title),
    "heat map": lambda title: heat_map_figure(table([]), cross_table([]), title),
    "history": lambda title: history_figure(NO_HISTORY, title),
    "lengths": lambda title: lengths_figure((), title),
    "endings": lambda title: endings_figure((), title),
    "thinking": lambda title: thinking_figure(ThinkingTimes((), 0, 0), title),
    "first move": lambda title: first_move_figure(NO_SCORES, None, title),
}

HOSTILE_FIGURES: dict[str, Callable[[str], Figure]] = {
    "elo": lambda title: elo_figure([table(HOSTILE)], title),
    "heat map": lambda title: heat_map_figure(table(HOSTILE), round_robin(HOSTILE), title),
    "history": lambda title: history_figure(history(HOSTILE), title),
    "lengths": lambda title: lengths_figure([LengthCount(40, False, 3)], title),
    "endings": lambda title: endings_figure(
        [
            EndingCount(name, HOSTILE[place - 1], "$x", name, 3, 90, 0, 0, 9, 9)
            for place, name in enumerate(HOSTILE)
        ],
        title,
    ),
    "thinking": lambda title: thinking_figure(
        ThinkingTimes(
            tuple(
                PlyTime(name, move, 5, 0.1, 0.2 + place, 9.0)
                for place, name in enumerate(HOSTILE)
                for move in (1, 2, 3)
            ),
            5,
            5,
        ),
        title,
    ),
    "first move": lambda title: first_move_figure(
        OpeningScores(
            HOSTILE, np.full(len(HOSTILE), 9), np.ones(len(HOSTILE)), np.ones(len(HOSTILE)) / 2
        ),
        None,
        title,
    ),
}


@pytest.mark.parametrize("make", EMPTY.values(), ids=EMPTY)
def test_nothing_to_show_is_said(make: Callable[[str], Figure]) -> None:
    figure = make("$cup$")
    words, sentence = drawn_texts(figure)
    assert words.startswith("$cup$: ")
    assert sentence.startswith("No ")
    assert figure.get_figheight() == 1


@pytest.mark.parametrize("make", HOSTILE_FIGURES.values(), ids=HOSTILE_FIGURES)
def test_names_are_neither_mathematics_nor_control_and_nothing_is_cut_off(
    make: Callable[[str], Figure],
) -> None:
    with mpl.rc_context({"text.usetex": True, "font.size": 30, "savefig.dpi": 7}):
        text = "\n".join(drawn_texts(make("$" + "W" * 100)))
    assert text.isascii() or set(text) - set(map(chr, range(128))) <= set("\u2212\u00b1\u00b5")
    assert "W" * 65 not in text
    assert "\x1b" not in text


@pytest.mark.parametrize("make", HOSTILE_FIGURES.values(), ids=HOSTILE_FIGURES)
def test_same_data_same_bytes_whatever_the_settings_are(make: Callable[[str], Figure]) -> None:
    before = png(make("cup")), svg(make("cup"))
    with mpl.rc_context({"lines.linewidth": 9, "axes.facecolor": "red", "svg.hashsalt": "x"}):
        assert (png(make("cup")), svg(make("cup"))) == before


def test_captions_are_broken_to_what_fits() -> None:
    with style():
        lines = caption_lines(["W" * 64 + " and " + "i" * 64, "second"], 3)
        assert lines[-1] == "second"
        assert "".join(lines).replace(" ", "") == "W" * 64 + "and" + "i" * 64 + "second"
        assert max(text_width(line, 8) for line in lines) < 3


def test_a_heading_begins_with_the_title_or_with_a_capital() -> None:
    assert heading_text("cup", "lengths") == "cup: lengths"
    assert heading_text("", "lengths") == "Lengths"


@pytest.mark.process
def test_pyplot_stays_out() -> None:
    code = (
        "import sys; from tests.unit.report.figures.test_canvas import EMPTY, HOSTILE_FIGURES; "
        "[make('') for make in (*EMPTY.values(), *HOSTILE_FIGURES.values())]; "
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
