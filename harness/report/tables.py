"""Standings and cross tables, for a terminal, as plain text and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.ratings.crosstable import CrossTable, Score
from harness.ratings.types import RatingRow, RatingTable
from harness.report.sheet import (
    PAGE_WIDTH,
    Column,
    Sheet,
    as_markdown,
    as_rich,
    as_text,
    escape_markdown,
    plain_name,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHORTEST_NAME: Final = 12
_CROSS_NAME: Final = 20


def standings_renderable(table: RatingTable) -> RenderableType:
    """Return one table for a terminal; a narrow one shortens the names."""
    return as_rich(_standings_sheet("", table, None))


def standings_text(tables: Sequence[RatingTable], width: int = PAGE_WIDTH) -> str:
    """Return the tables as plain text, each with what its numbers mean."""
    return "\n".join(as_text(sheet, width) for sheet in standings_sheets(tables, width))


def cross_text(cross: CrossTable, width: int = PAGE_WIDTH) -> str:
    """Return the cross table as plain text."""
    return "\n".join(as_text(sheet, width) for sheet in cross_sheets(cross, width))


def markdown(tables: Sequence[RatingTable], cross: CrossTable, *, title: str = "") -> str:
    """Return standings and cross table as Markdown."""
    head = [f"# {escape_markdown(plain_name(title))}\n"] if title else []
    sheets = [*standings_sheets(tables, None), *cross_sheets(cross, None)]
    return "\n".join([*head, *(as_markdown(sheet) for sheet in sheets)])


def standings_sheets(tables: Sequence[RatingTable], width: int | None = PAGE_WIDTH) -> list[Sheet]:
    """Return one sheet a table; names are shortened until it fits ``width`` (None: never)."""
    titles = [f"Table {number} of {len(tables)}" for number in range(1, len(tables) + 1)]
    if len(tables) == 1:
        titles = ["Standings"]
    return [_fitting(title, table, width) for title, table in zip(titles, tables, strict=True)]


def _fitting(title: str, table: RatingTable, width: int | None) -> Sheet:
    sheet = _standings_sheet(title, table, None)
    if width is None or sheet.width() <= width:
        return sheet
    longest = max((len(plain_name(row.name)) for row in table.rows), default=0)
    room = longest - (sheet.width() - width)
    return _standings_sheet(title, table, max(room, _SHORTEST_NAME))


def _standings_sheet(title: str, table: RatingTable, name_width: int | None) -> Sheet:
    return Sheet(
        title=title,
        columns=(
            Column("#"),
            Column("bot", is_number=False),
            Column("Elo"),
            Column("+/-"),
            Column("games"),
            Column("won"),
            Column("drawn"),
            Column("lost"),
            Column("score"),
            Column("LOS"),
            Column("met"),
        ),
        rows=tuple(
            (
                "" if row.rank is None else str(row.rank),
                plain_name(row.name, name_width),
                row.elo_text,
                row.error_text,
                str(row.games),
                str(row.wins),
                str(row.draws),
                str(row.losses),
                "" if row.score is None else f"{100 * row.score:.1f}%",
                _los_text(row),
                str(row.opponents),
            )
            for row in table.rows
        ),
        notes=(
            plain_name(table.scale),
            *(
                ["LOS: likelihood that the bot is better than the one below it."]
                if any(row.los_next is not None for row in table.rows)
                else []
            ),
            *(f"Note: {plain_name(notice)}." for notice in table.notices),
        ),
    )


def _los_text(row: RatingRow) -> str:
    if row.los_next is None:
        return ""
    return ">99.9%" if row.los_next > 0.999 else f"{100 * row.los_next:.1f}%"


def cross_sheets(cross: CrossTable, width: int | None = PAGE_WIDTH) -> list[Sheet]:
    """Return the cross table with the opponents' numbers as headings, as sheets that fit.

    Cells are won-drawn-lost where that fits ``width`` (None: everything does), else points;
    where points do not fit either, the columns are spread over several sheets.
    """
    bots = range(len(cross.names))
    scores = {
        (row, column): cross.score(cross.names[row], cross.names[column])
        for row in bots
        for column in bots
        if row != column
    }
    longest = max((len(plain_name(name)) for name in cross.names), default=0)
    names = min(longest, _CROSS_NAME)
    layout = _CrossLayout(bots, longest, _record_text, has_totals=True)
    for narrower in (
        layout,
        layout._replace(name_width=names),
        layout._replace(name_width=names, cell_text=_points_text),
        layout._replace(name_width=names, cell_text=_points_text, has_totals=False),
    ):
        sheet = _cross_sheet(cross, scores, narrower)
        if width is None or sheet.width() <= width:
            return [sheet]
    assert width is not None
    narrow = layout._replace(name_width=names, cell_text=_points_text, has_totals=False)
    count = 2
    while True:
        edges = [len(bots) * number // count for number in range(count + 1)]
        sheets = [
            _cross_sheet(cross, scores, narrow._replace(opponents=range(start, end)))
            for start, end in pairwise(edges)
        ]
        if count >= len(bots) or max(sheet.width() for sheet in sheets) <= width:
            return sheets
        count += 1


class _CrossLayout(NamedTuple):
    opponents: range
    name_width: int
    cell_text: Callable[[Score | None], str]
    has_totals: bool


def _cross_sheet(
    cross: CrossTable, scores: Mapping[tuple[int, int], Score], layout: _CrossLayout
) -> Sheet:
    opponents, name_width, cell_text, has_totals = layout
    totals = [cross.total(name) for name in cross.names] if has_totals else []
    shown = (
        ""
        if len(opponents) == len(cross.names)
        else (f", against {opponents[0] + 1} to {opponents[-1] + 1}")
    )
    cells = "points" if cell_text is _points_text else "won-drawn-lost"
    return Sheet(
        title=f"Cross table: {cells} of the bot in the row{shown}",
        columns=(
            Column("#"),
            Column("bot", is_number=False),
            *([Column("points"), Column("games")] if has_totals else []),
            *(Column(str(opponent + 1)) for opponent in opponents),
        ),
        rows=tuple(
            (
                str(bot + 1),
                plain_name(name, name_width),
                *([f"{totals[bot].points:g}", str(totals[bot].games)] if has_totals else []),
                *(cell_text(scores.get((bot, opponent))) for opponent in opponents),
            )
            for bot, name in enumerate(cross.names)
        ),
    )


def _record_text(score: Score | None) -> str:
    if score is None:
        return "x"
    return "-".join(map(str, score)) if score.games else "."


def _points_text(score: Score | None) -> str:
    if score is None:
        return "x"
    return f"{score.points:g}" if score.games else "."
