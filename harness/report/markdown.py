"""The whole report as one Markdown document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.ratings.analysis import Analysis
from harness.report.diagnosis import diagnosis_sheets, ending_sheet, match_sheet, time_sheet
from harness.report.sheet import Sheet, as_markdown, escape_markdown, plain_name
from harness.report.square_table import cross_sheets, los_sheets, side_sheets
from harness.report.standings_table import COLUMNS, standings_sheets


class Picture(NamedTuple):
    """A picture beside the document: its file, and its title in words."""

    file: str
    title: str


def markdown(
    analysis: Analysis,
    *,
    title: str = "",
    pictures: Sequence[Picture] = (),
    columns: Sequence[str] | None = None,
    sort: str = "rank",
) -> str:
    """Return everything as Markdown; ``columns`` of the standings, None: all that say something."""
    head = [f"# {escape_markdown(plain_name(title))}\n"] if title else []
    parts = [as_markdown(sheet) for sheet in report_sheets(analysis, columns, sort)]
    parts += [
        f"## {escape_markdown(picture.title)}\n\n"
        f"![{escape_markdown(picture.title)}]({picture.file})\n"
        for picture in pictures
    ]
    return "\n".join([*head, *parts])


def report_sheets(
    analysis: Analysis,
    columns: Sequence[str] | None = None,
    sort: str = "rank",
    width: int | None = None,
) -> list[Sheet]:
    """Return every sheet there is, in the order of reading; ``width`` None: as wide as it gets."""
    tables, cross = analysis.tables, analysis.cross
    if columns is None and width is None:
        columns = [
            key
            for key, column in COLUMNS.items()
            if any(column.text(row) for table in tables for row in table.rows)
        ]
    matches = [match_sheet(pool.match) for pool in analysis.pools if pool.match is not None]
    if not tables:
        return [Sheet("Standings", (), (), ("No games.",))]
    sheets = [*standings_sheets(tables, width, columns=columns, sort=sort), *matches]
    sheets += [*cross_sheets(cross, width), *side_sheets(cross, width)]
    for table in tables:
        sheets += los_sheets(table, width)
    sheets += diagnosis_sheets(analysis)
    if analysis.endings:
        sheets += [ending_sheet(analysis, width), time_sheet(analysis, width)]
    return sheets
