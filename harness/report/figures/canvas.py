"""What all figures share: style, inks, heading and caption, and texts that fit."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from harness.report.sheet import plain_name

INK: Final = "#1b2a41"
GREY: Final = "#7b8798"
FAINT: Final = "#c9cfd8"
ALARM: Final = "#a50f15"
"""Dark in grey too; for what a reader must not miss."""

WIDTH_INCHES: Final = 8.0
ROW_INCHES: Final = 0.27
TEXT_POINTS: Final = 9
SMALL_POINTS: Final = 8
NAME_CHARACTERS: Final = 24
MOST_NAMED: Final = 20
"""Bots that can be told apart in one figure; of more, only some are."""

_HEADING_POINTS: Final = 11
_FRAME_INCHES: Final = 0.8
_LINE_INCHES: Final = 0.17
_MARGIN: Final = 0.1
_CHARACTERS_PER_INCH: Final = 18
"""More than any text has that fits."""
_SHORTEST_LINE: Final = 24
_HEADING_CHARACTERS: Final = 80
_HINTED: Final = 1.05
"""What fitting letters to dots may add to a text's width."""

_STYLE: Final = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.labelsize": TEXT_POINTS,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "white",
    "font.size": TEXT_POINTS,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.7,
    "legend.borderaxespad": 0.2,
    "legend.fontsize": SMALL_POINTS,
    "legend.frameon": False,
    "svg.hashsalt": "loa",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "xtick.labelsize": SMALL_POINTS,
    "ytick.color": INK,
    "ytick.labelsize": SMALL_POINTS,
}


@contextmanager
def style() -> Iterator[None]:
    """Set the style of all figures, whatever a person's matplotlibrc says; it may switch TeX on.

    Much of it is read when a figure is drawn: save figures inside this as well.
    """
    with matplotlib.style.context(["default", _STYLE]):
        yield


def new_figure(
    heading: str, caption: Iterable[str], height: float, width: float = WIDTH_INCHES
) -> Figure:
    """Return a figure with room of this height, in inches, between its heading and caption."""
    lines = caption_lines(caption, width)
    figure = bare_figure(height + frame_height(lines), width)
    add_frame(figure, heading, lines, width)
    return figure


def bare_figure(height: float, width: float = WIDTH_INCHES) -> Figure:
    """Return a figure of this size in inches without anything in it."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def empty_figure(heading: str, sentence: str) -> Figure:
    """Return a small figure that says why there is nothing to see."""
    figure = Figure(figsize=(WIDTH_INCHES, 1))
    FigureCanvasAgg(figure)
    place = _MARGIN / WIDTH_INCHES
    text = _fitting_heading(heading, WIDTH_INCHES)
    figure.text(place, 0.95, text, ha="left", va="top", fontsize=_HEADING_POINTS)
    figure.text(0.5, 0.4, sentence, ha="center", va="center")
    return figure


def add_frame(
    panel: Figure | SubFigure, heading: str, lines: list[str], width: float = WIDTH_INCHES
) -> None:
    """Write the heading above and the lines of the caption below."""
    place = _MARGIN / width
    panel.suptitle(_fitting_heading(heading, width), x=place, ha="left", fontsize=_HEADING_POINTS)
    panel.supxlabel("\n".join(lines), x=place, ha="left", fontsize=SMALL_POINTS, linespacing=1.3)


def frame_height(lines: list[str]) -> float:
    """Return what heading, caption and the axis' labels take, in inches."""
    return _FRAME_INCHES + _LINE_INCHES * len(lines)


def heading_text(title: str, what: str) -> str:
    """Put a person's title before what a figure shows."""
    return f"{title}: {what}" if title else f"{what[0].upper()}{what[1:]}"


def caption_lines(paragraphs: Iterable[str], width: float = WIDTH_INCHES) -> list[str]:
    """Return the paragraphs broken to lines that fit so many inches."""
    room = width - 2 * _MARGIN
    return [line for text in paragraphs for line in _broken(plain_name(text), room)]


def text_width(text: str, points: float) -> float:
    """Return the width of a text in inches; to be asked inside the style."""
    width, _, _ = text_to_path.get_text_width_height_descent(
        text, FontProperties(size=points), ismath=False
    )
    return _HINTED * float(width) / 72


def short_name(name: str) -> str:
    """Return the name of a bot, with its middle left out when it is long."""
    return plain_name(name, NAME_CHARACTERS)


def show_rows(axes: Axes, names: Iterable[str]) -> None:
    """Give every row the name of its bot, the first one at the top."""
    labels = [short_name(name) for name in names]
    axes.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    axes.set_yticks(range(len(labels)), labels=labels, parse_math=False, fontsize=TEXT_POINTS)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def show_row_values(axes: Axes, texts: Iterable[str]) -> None:
    """Write a text to the right of every row."""
    values = axes.secondary_yaxis("right")
    labels = list(texts)
    values.set_yticks(range(len(labels)), labels=labels, parse_math=False, fontsize=TEXT_POINTS)
    values.tick_params(length=0)
    values.spines["right"].set_visible(False)


def counted(number: int, thing: str = "game") -> str:
    """Return a number of things in words: ``1 game``, ``12,000 games``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _broken(text: str, room: float) -> list[str]:
    lines: list[str] = []
    for characters in range(int(room * _CHARACTERS_PER_INCH), _SHORTEST_LINE, -4):
        lines = textwrap.wrap(text, characters)
        if all(text_width(line, SMALL_POINTS) <= room for line in lines):
            break
    return lines


def _fitting_heading(text: str, width: float) -> str:
    for characters in range(_HEADING_CHARACTERS, _SHORTEST_LINE, -4):
        shorter = plain_name(text, characters)
        if text_width(shorter, _HEADING_POINTS) <= width - 2 * _MARGIN:
            return shorter
    return plain_name(text, _SHORTEST_LINE)
