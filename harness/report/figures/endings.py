"""How the games of every bot ended, and what for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MultipleLocator

from harness.ratings.observations import FORFEIT_CAUSES, EndingCount
from harness.report.figures.canvas import (
    ALARM,
    INK,
    ROW_INCHES,
    TEXT_POINTS,
    counted,
    empty_figure,
    heading_text,
    new_figure,
    show_row_values,
    show_rows,
    style,
)

_WHAT: Final = "how the games ended"
_ALARM_OF_THE_OTHER: Final = "#f0b9b0"
_LEGEND_COLUMNS: Final = 5
_LEGEND_ROW_INCHES: Final = 0.19
_NARROWEST: Final = 0.12
_OTHER_CAUSES: Final = "other"


class _Result(Enum):
    LOST = "lost"
    DRAWN = "drawn"
    WON = "won"


class _Look(NamedTuple):
    """The face of a cause where the bot lost by it, and where it did not."""

    lost: str
    otherwise: str
    hatch: str


def _forfeit(hatch: str) -> _Look:
    return _Look(ALARM, _ALARM_OF_THE_OTHER, hatch)


_LOOKS: Final[Mapping[str, _Look]] = {
    "time": _forfeit(""),
    "illegal-move": _forfeit("////"),
    "malformed-reply": _forfeit("\\\\\\\\"),
    "output-overflow": _forfeit("xxxx"),
    "crash": _forfeit("...."),
    "connection": _Look("#e3e7ed", "#e3e7ed", ""),
    "simultaneous-connection": _Look("#e3e7ed", "#e3e7ed", "///"),
    "no-moves": _Look("#e3e7ed", "#e3e7ed", "xxx"),
    "repetition": _Look("#b4bdca", "#b4bdca", ""),
    "max-plies": _Look("#b4bdca", "#b4bdca", "\\\\\\"),
    "resignation": _Look("#8a96a8", "#8a96a8", ""),
    "agreement": _Look("#8a96a8", "#8a96a8", "///"),
    "score-resign": _Look("#8a96a8", "#8a96a8", "..."),
    "score-draw": _Look("#8a96a8", "#8a96a8", "xxx"),
    _OTHER_CAUSES: _Look("white", "white", "++"),
}
"""In the order of the stack, from zero outwards; faults first, so that they can be compared."""


@dataclass(slots=True)
class _Bot:
    name: str
    counts: Counter[tuple[_Result, str]] = field(default_factory=Counter)

    @property
    def games(self) -> int:
        return self.counts.total()

    @property
    def points(self) -> float:
        return self.result(_Result.WON) + self.result(_Result.DRAWN) / 2

    @property
    def forfeits(self) -> int:
        return sum(self.counts[_Result.LOST, cause] for cause in FORFEIT_CAUSES)

    def result(self, result: _Result) -> int:
        return sum(count for (known, _), count in self.counts.items() if known is result)


def endings_figure(endings: Sequence[EndingCount], title: str = "") -> Figure:
    """Return the endings of each bot's games as bars: lost, drawn and won, by cause.

    The bots are sorted by the share of the points, then by name. What a bot forfeited is dark
    red, and counted at the right.
    """
    heading = heading_text(title, _WHAT)
    with style():
        bots = _bots(endings)
        if not bots:
            return empty_figure(heading, "No games yet.")
        causes = [cause for cause in _LOOKS if any(_has(bot, cause) for bot in bots)]
        legend_rows = -(-len(causes) // _LEGEND_COLUMNS)
        games = sum(ending.games for ending in endings)
        rows_inches = ROW_INCHES * len(bots) + 0.3
        legend_inches = _LEGEND_ROW_INCHES * legend_rows
        figure = new_figure(heading, [_caption(games, causes)], rows_inches + legend_inches)
        grid = figure.add_gridspec(2, 1, height_ratios=[legend_inches, rows_inches])
        _draw_legend(figure.add_subplot(grid[0]), causes)
        spans = {
            result: max(_NARROWEST, *(bot.result(result) / bot.games for bot in bots))
            for result in _Result
        }
        panels = (
            grid[1]
            .subgridspec(1, 3, width_ratios=list(spans.values()))
            .subplots(sharey=True, squeeze=False)[0]
        )
        for axes, (result, span) in zip(panels, spans.items(), strict=True):
            _draw(axes, bots, result, 106 * span)
        show_rows(panels[0], [bot.name for bot in bots])
        show_row_values(panels[-1], [_value_text(bot) for bot in bots])
        panels[1].set_xlabel("percent of the bot's games")
    return figure


def _bots(endings: Sequence[EndingCount]) -> list[_Bot]:
    bots: dict[str, _Bot] = {}
    for ending in endings:
        if ending.games <= 0:
            continue
        cause = ending.cause if ending.cause in _LOOKS else _OTHER_CAUSES
        for name in (ending.first, ending.second):
            result = _Result.WON if name == ending.winner else _Result.LOST
            if ending.winner is None:
                result = _Result.DRAWN
            bots.setdefault(name, _Bot(name)).counts[result, cause] += ending.games
    return sorted(bots.values(), key=lambda bot: (-bot.points / bot.games, bot.name))


def _has(bot: _Bot, cause: str) -> bool:
    return any(bot.counts[result, cause] for result in _Result)


def _caption(games: int, causes: Sequence[str]) -> str:
    sentences = [
        "Each bot's games that it lost, drew and won, in percent of its games, by the cause of "
        "the end. Best share of the points first (50 % is equal); to the right: "
        "won-drawn-lost."
    ]
    if FORFEIT_CAUSES.intersection(causes):
        sentences.append(
            "Dark red: games that the bot itself forfeited by a fault, counted to the right; "
            "pale red: games that its opponent did."
        )
    sentences.append(f"{counted(games)}; shares as they are, no model, no interval.")
    return " ".join(sentences)


def _draw(axes: Axes, bots: Sequence[_Bot], result: _Result, limit: float) -> None:
    starts = dict.fromkeys(range(len(bots)), 0.0)
    for cause in _LOOKS:
        rows = [place for place, bot in enumerate(bots) if bot.counts[result, cause]]
        if not rows:
            continue
        shares = [100 * bots[row].counts[result, cause] / bots[row].games for row in rows]
        face, edge, hatch = _face(cause, is_lost=result is _Result.LOST)
        axes.barh(
            rows,
            shares,
            left=[starts[row] for row in rows],
            height=0.72,
            color=face,
            edgecolor=edge,
            hatch=hatch,
            linewidth=0.5,
            label=cause,
        )
        for row, share in zip(rows, shares, strict=True):
            starts[row] += share
    axes.set_xlim((limit, 0) if result is _Result.LOST else (0, limit))
    axes.xaxis.set_major_locator(MultipleLocator(20 if limit > 20 else 10))
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.axvline(0, color=INK, linewidth=1.4)
    axes.set_title(result.value, fontsize=TEXT_POINTS)


def _draw_legend(axes: Axes, causes: Sequence[str]) -> None:
    axes.set_axis_off()
    axes.legend(
        handles=[_handle(cause) for cause in causes],
        loc="upper left",
        ncols=_LEGEND_COLUMNS,
        handlelength=1.8,
        borderpad=0,
    )


def _face(cause: str, *, is_lost: bool) -> tuple[str, str, str]:
    look = _LOOKS[cause]
    face = look.lost if is_lost else look.otherwise
    return face, "white" if face == ALARM else INK, look.hatch


def _handle(cause: str) -> Patch:
    face, edge, hatch = _face(cause, is_lost=True)
    return Patch(facecolor=face, edgecolor=edge, hatch=hatch, linewidth=0.5, label=cause)


def _value_text(bot: _Bot) -> str:
    record = "-".join(
        f"{bot.result(result):,}" for result in (_Result.WON, _Result.DRAWN, _Result.LOST)
    )
    return f"{record}, {counted(bot.forfeits, 'forfeit')}" if bot.forfeits else record
