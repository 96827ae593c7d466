"""The Elo table as a sheet: which columns there are, and how it fits a width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.ratings.types import RatingRow, RatingTable, half_width_text
from harness.report.sheet import PAGE_WIDTH, Column, Sheet, as_rich, as_text, plain_name

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHORTEST_NAME: Final = 12


class StandingsColumn(NamedTuple):
    """A column of the standings: its heading, the text of a row, and what it means.

    ``order`` gives the value that ``--sort`` goes by, greatest first for numbers; None: unknown.
    """

    heading: str
    text: Callable[[RatingRow], str]
    order: Callable[[RatingRow], float | str | None]
    meaning: str = ""


def _number(value: float | None, form: str = "{:.0f}") -> str:
    return "" if value is None else form.format(value)


def percent(value: float | None) -> str:
    """Return a probability in percent that is never rounded to 0 or 100; empty for None."""
    if value is None:
        return ""
    return ">99.9%" if value > 0.999 else "<0.1%" if value < 0.001 else f"{100 * value:.1f}%"


def _error(value: float | None) -> str:
    return "" if value is None else half_width_text(value)


def _ranks(row: RatingRow) -> str:
    if row.rank_low is None or row.rank_high is None:
        return ""
    if row.rank_low == row.rank_high:
        return str(row.rank_low)
    return f"{row.rank_low}-{row.rank_high}"


COLUMNS: Final[dict[str, StandingsColumn]] = {
    "rank": StandingsColumn("#", lambda row: _number(row.rank), lambda row: _negative(row.rank)),
    "bot": StandingsColumn("bot", lambda row: row.name, lambda row: row.name),
    "elo": StandingsColumn("Elo", lambda row: row.elo_text, lambda row: row.elo),
    "error": StandingsColumn("+/-", lambda row: row.error_text, lambda row: row.error),
    "low": StandingsColumn(
        "low", lambda row: _number(row.low), lambda row: row.low, "low, high: ends of the interval"
    ),
    "high": StandingsColumn("high", lambda row: _number(row.high), lambda row: row.high),
    "games": StandingsColumn("games", lambda row: str(row.games), lambda row: row.games),
    "won": StandingsColumn("won", lambda row: str(row.wins), lambda row: row.wins),
    "drawn": StandingsColumn("drawn", lambda row: str(row.draws), lambda row: row.draws),
    "lost": StandingsColumn("lost", lambda row: str(row.losses), lambda row: row.losses),
    "score": StandingsColumn(
        "score",
        lambda row: "" if row.score is None else f"{100 * row.score:.1f}%",
        lambda row: row.score,
    ),
    "los": StandingsColumn(
        "LOS",
        lambda row: percent(row.los_next),
        lambda row: row.los_next,
        "LOS: likelihood that the bot is better than the next in rank",
    ),
    "group": StandingsColumn(
        "group",
        lambda row: row.group,
        lambda row: row.group,
        "group: bots without a letter in common differ, all comparisons held to 95 % together "
        "(Tukey)",
    ),
    "met": StandingsColumn(
        "met", lambda row: str(row.opponents), lambda row: row.opponents, "met: opponents"
    ),
    "best": StandingsColumn(
        "best",
        lambda row: percent(row.best),
        lambda row: row.best,
        "best: probability that the bot is the best of the rated ones (not corrected for looking "
        "at the winner)",
    ),
    "ranks": StandingsColumn(
        "ranks",
        _ranks,
        lambda row: _negative(row.rank_low),
        "ranks: 95 % range of the place among the rated bots",
    ),
    "model-error": StandingsColumn(
        "model",
        lambda row: _error(row.model_error),
        lambda row: row.model_error,
        "model: +/- with games taken as independent",
    ),
    "bootstrap-error": StandingsColumn(
        "boot",
        lambda row: _error(row.bootstrap_error),
        lambda row: row.bootstrap_error,
        "boot: +/- from bootstrap refits, as are best and ranks",
    ),
}
"""All columns by the name that ``--columns`` and ``--sort`` take."""

_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "bot": ("name",),
    "won": ("wins",),
    "drawn": ("draws",),
    "lost": ("losses",),
    "los": ("los_next",),
    "met": ("opponents",),
    "ranks": ("rank_low", "rank_high"),
}
"""The fields of a rating frame behind a column, where they are not called the same."""

DEFAULT_COLUMNS: Final = (
    "rank", "bot", "elo", "error", "bootstrap-error", "games", "won", "drawn", "lost", "score",
    "los", "group",
)  # fmt: skip
"""What is shown unless told otherwise; errors from refits only where there were any."""
_FIRST_TO_GO: Final = (
    "group", "drawn", "lost", "won", "score", "los", "games", "bootstrap-error",
)  # fmt: skip


def _negative(value: int | None) -> int | None:
    return None if value is None else -value


def standings_renderable(table: RatingTable, width: int = PAGE_WIDTH) -> RenderableType:
    """Return one table for a terminal of this width, without a title and without groups."""
    columns = [column for column in DEFAULT_COLUMNS if column != "group"]
    return as_rich(_fitting("", table, columns, table.rows, width))


def standings_text(tables: Sequence[RatingTable], width: int = PAGE_WIDTH) -> str:
    """Return the tables as plain text, each with what its numbers mean."""
    return "\n".join(as_text(sheet, width) for sheet in standings_sheets(tables, width))


def standings_sheets(
    tables: Sequence[RatingTable],
    width: int | None = PAGE_WIDTH,
    *,
    columns: Sequence[str] | None = None,
    sort: str = "rank",
) -> list[Sheet]:
    """Return one sheet a table.

    ``columns`` are keys of ``COLUMNS``; None: the usual ones, of which those that ``width``
    (None: any) has no room for are left out. Names are shortened before that.
    """
    titles = [f"Table {number} of {len(tables)}" for number in range(1, len(tables) + 1)]
    if len(tables) == 1:
        titles = ["Standings"]
    sheets = []
    for title, table in zip(titles, tables, strict=True):
        rows = sorted_rows(table.rows, sort)
        if columns is None:
            sheets.append(_fitting(title, table, DEFAULT_COLUMNS, rows, width))
        else:
            sheets.append(_named(title, table, columns, rows, width))
    return sheets


def fields_of(columns: Sequence[str]) -> list[str]:
    """Return the fields of a rating frame that these columns show."""
    return [
        field for column in columns for field in _FIELDS.get(column, (column.replace("-", "_"),))
    ]


def sorted_rows(rows: Sequence[RatingRow], sort: str) -> tuple[RatingRow, ...]:
    """Return the rows by a column: numbers from the greatest, texts by alphabet, unknown last."""
    order = COLUMNS[sort].order

    def key(row: RatingRow) -> tuple[bool, float, str]:
        value = order(row)
        if value is None:
            return True, 0.0, ""
        return (False, 0.0, value) if isinstance(value, str) else (False, -value, "")

    return tuple(sorted(rows, key=key))


def _fitting(
    title: str,
    table: RatingTable,
    columns: Sequence[str],
    rows: Sequence[RatingRow],
    width: int | None,
) -> Sheet:
    has_refits = any(row.bootstrap_error is not None for row in rows)
    kept = [column for column in columns if has_refits or column != "bootstrap-error"]
    left_out: list[str] = []
    sheet = _named(title, table, kept, rows, width)
    for column in [column for column in _FIRST_TO_GO if column in kept]:
        if width is None or sheet.width() <= width:
            break
        kept.remove(column)
        left_out.append(column)
        sheet = _named(title, table, kept, rows, width)
    if not left_out:
        return sheet
    note = f"Left out for want of width: {', '.join(left_out)}."
    return replace(sheet, notes=(*sheet.notes, note))


def _named(
    title: str,
    table: RatingTable,
    columns: Sequence[str],
    rows: Sequence[RatingRow],
    width: int | None,
) -> Sheet:
    """Return the sheet with names shortened as far as needed and sensible."""
    sheet = _sheet(title, table, columns, rows, None)
    if width is None or sheet.width() <= width:
        return sheet
    longest = max((len(plain_name(row.name)) for row in rows), default=0)
    room = longest - (sheet.width() - width)
    return _sheet(title, table, columns, rows, max(room, _SHORTEST_NAME))


def _sheet(
    title: str,
    table: RatingTable,
    columns: Sequence[str],
    rows: Sequence[RatingRow],
    name_width: int | None,
) -> Sheet:
    shown = [COLUMNS[column] for column in columns]
    is_text = [column in ("bot", "group") for column in columns]
    texts = tuple(
        tuple(
            plain_name(row.name, name_width) if column == "bot" else COLUMNS[column].text(row)
            for column in columns
        )
        for row in rows
    )
    meanings = [
        column.meaning
        for place, column in enumerate(shown)
        if column.meaning and any(row[place] for row in texts)
    ]
    return Sheet(
        title=title,
        columns=tuple(
            Column(column.heading, is_number=not text)
            for column, text in zip(shown, is_text, strict=True)
        ),
        rows=texts,
        notes=(
            plain_name(table.scale),
            *(f"{meaning}." for meaning in meanings),
            *(f"Note: {plain_name(notice)}." for notice in table.notices),
        ),
    )
