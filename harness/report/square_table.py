"""Tables of every bot against every other: results, results by side, likelihoods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from harness.ratings.crosstable import CrossTable, Score
from harness.ratings.types import RatingTable
from harness.report.sheet import PAGE_WIDTH, Column, Sheet, as_text, plain_name

_SHORT_NAME: Final = 20
_SELF: Final = "x"
_NONE: Final = "."


@dataclass(frozen=True, slots=True)
class Square:
    """A table of the bots against themselves.

    ``cells`` are texts by row and column, both in the order of ``names``; ``totals`` are columns
    of each bot by itself, with their headings.
    """

    title: str
    names: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    totals: tuple[tuple[str, tuple[str, ...]], ...] = ()
    notes: tuple[str, ...] = ()


def cross_text(cross: CrossTable, width: int = PAGE_WIDTH) -> str:
    """Return the cross table as plain text."""
    return "\n".join(as_text(sheet, width) for sheet in cross_sheets(cross, width))


def cross_sheets(cross: CrossTable, width: int | None = PAGE_WIDTH) -> list[Sheet]:
    """Return the cross table with the opponents' numbers as headings, as sheets that fit.

    Cells are won-drawn-lost where that fits ``width`` (None: everything does), else points;
    where points do not fit either, the columns are spread over several sheets.
    """
    return _score_sheets("Cross table", cross, cross.score, width, has_totals=True)


def side_sheets(cross: CrossTable, width: int | None = PAGE_WIDTH) -> list[Sheet]:
    """Return the cross table of the games in which the bot of the row moved first."""
    return _score_sheets("Moving first", cross, cross.score_as_first, width, has_totals=False)


def los_sheets(table: RatingTable, width: int | None = PAGE_WIDTH) -> list[Sheet]:
    """Return the likelihood in percent that the row's bot is better than the column's."""

    def cell(row: int, column: int) -> str:
        if row == column:
            return _SELF
        chance = 100 * float(table.los[row, column])
        shown = ">99.9" if chance > 99.9 else "<0.1" if chance < 0.1 else f"{chance:.1f}"
        return f"{shown}{'*' if table.differ[row, column] else ''}"

    if len(table.rated) < 2:
        return []
    square = Square(
        "Likelihood of superiority: % that the bot in the row is better",
        table.rated,
        _cells(len(table.rated), cell),
        notes=("* differs when all comparisons are held to 95 % together (Tukey).",),
    )
    return square_sheets([square], width)


def square_sheets(forms: Sequence[Square], width: int | None) -> list[Sheet]:
    """Return the first form that fits; the last one is spread over several sheets if need be."""
    for form in forms:
        for name_width in (None, _SHORT_NAME):
            sheet = _sheet(form, range(len(form.names)), name_width)
            if width is None or sheet.width() <= width:
                return [sheet]
    form = forms[-1]
    bots = len(form.names)
    assert width is not None
    for count in range(2, bots + 1):
        edges = [bots * number // count for number in range(count + 1)]
        sheets = [_sheet(form, range(start, end), _SHORT_NAME) for start, end in pairwise(edges)]
        if max(sheet.width() for sheet in sheets) <= width:
            break
    return sheets


def _score_sheets(
    title: str,
    cross: CrossTable,
    score: Callable[[str, str], Score],
    width: int | None,
    *,
    has_totals: bool,
) -> list[Sheet]:
    names = cross.names
    if not names:
        return []
    scores = [[score(one, other) for other in names] for one in names]
    totals = [cross.total(name) for name in names] if has_totals else []
    columns = (
        ("points", tuple(f"{total.points:g}" for total in totals)),
        ("games", tuple(str(total.games) for total in totals)),
    )

    def square(text: Callable[[Score], str], words: str, *, totals: bool) -> Square:
        def cell(row: int, column: int) -> str:
            if row == column:
                return _SELF
            found = scores[row][column]
            return text(found) if found.games else _NONE

        return Square(
            f"{title}: {words} of the bot in the row",
            names,
            _cells(len(names), cell),
            columns if totals else (),
        )

    forms = [square(lambda found: "-".join(map(str, found)), "won-drawn-lost", totals=has_totals)]
    forms.append(square(lambda found: f"{found.points:g}", "points", totals=has_totals))
    if has_totals:
        forms.append(square(lambda found: f"{found.points:g}", "points", totals=False))
    return square_sheets(forms, width)


def _cells(bots: int, cell: Callable[[int, int], str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(cell(row, column) for column in range(bots)) for row in range(bots))


def _sheet(form: Square, shown: range, name_width: int | None) -> Sheet:
    names = form.names
    is_whole = len(shown) == len(names)
    part = "" if is_whole else f", against {shown[0] + 1} to {shown[-1] + 1}"
    return Sheet(
        title=f"{form.title}{part}",
        columns=(
            Column("#"),
            Column("bot", is_number=False),
            *(Column(heading) for heading, _ in form.totals),
            *(Column(str(column + 1)) for column in shown),
        ),
        rows=tuple(
            (
                str(row + 1),
                plain_name(name, name_width),
                *(texts[row] for _, texts in form.totals),
                *form.cells[row][shown.start : shown.stop],
            )
            for row, name in enumerate(names)
        ),
        notes=form.notes,
    )
