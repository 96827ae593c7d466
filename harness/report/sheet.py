"""A table of texts, and the forms it is shown in: plain text, terminal, Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.report.safe_text import printable

if TYPE_CHECKING:
    from rich.console import Group

PAGE_WIDTH: Final = 80
_GAP: Final = "  "
_MARKDOWN_SIGNS: Final = frozenset("\\`*_[]<>|~&$#!{}")


class Column(NamedTuple):
    """The heading of a column; numbers stand on the right."""

    heading: str
    is_number: bool = True


@dataclass(frozen=True, slots=True)
class Sheet:
    """Texts in rows and columns, a title above them and sentences below; columns may be none."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def width(self) -> int:
        """Return the width of the plain form in characters."""
        return sum(_widths(self)) + len(_GAP) * max(len(self.columns) - 1, 0)


def plain_name(text: str, width: int | None = None) -> str:
    """Return a name in printable ASCII; one that is longer than ``width`` loses its middle."""
    text = printable(text).encode("ascii", "backslashreplace").decode("ascii")
    if width is None or len(text) <= width:
        return text
    kept = max(width - 2, 2)
    return f"{text[: (kept + 1) // 2]}..{text[len(text) - kept // 2 :]}"


def as_text(sheet: Sheet, width: int = PAGE_WIDTH) -> str:
    """Return aligned plain text; only the notes are broken to ``width``."""
    widths = _widths(sheet)
    lines = [sheet.title] if sheet.title else []
    headings = tuple(column.heading for column in sheet.columns)
    for row in (headings, *sheet.rows) if headings else ():
        cells = [
            cell.rjust(size) if column.is_number else cell.ljust(size)
            for cell, size, column in zip(row, widths, sheet.columns, strict=True)
        ]
        lines.append(_GAP.join(cells).rstrip())
    for note in sheet.notes:
        lines += textwrap.wrap(note, width, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def as_rich(sheet: Sheet) -> Group:
    """Return the sheet for a terminal, with no markup taken from its texts."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(sheet.title) if sheet.title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for column in sheet.columns:
        table.add_column(
            Text(column.heading),
            justify="right" if column.is_number else "left",
            no_wrap=column.is_number,  # when it is narrow, the others give way
        )
    for row in sheet.rows:
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
    notes = [Text(note, style="dim") for note in sheet.notes]
    if sheet.columns:
        return Group(table, *notes)
    return Group(Text(sheet.title, style="italic"), *notes)


def as_markdown(sheet: Sheet) -> str:
    """Return a Markdown table (GitHub's form) with every sign of Markdown escaped."""
    lines = [f"## {escape_markdown(sheet.title)}", ""] if sheet.title else []
    if sheet.columns:
        lines.append(_markdown_row([escape_markdown(column.heading) for column in sheet.columns]))
        lines.append(
            _markdown_row(["---:" if column.is_number else ":---" for column in sheet.columns])
        )
    lines += [_markdown_row([escape_markdown(cell) for cell in row]) for row in sheet.rows]
    lines += [line for note in sheet.notes for line in ("", escape_markdown(note))]
    return "\n".join(lines) + "\n"


def escape_markdown(text: str) -> str:
    """Return the text with every sign that Markdown could take for its own escaped."""
    return "".join(f"\\{sign}" if sign in _MARKDOWN_SIGNS else sign for sign in text)


def _widths(sheet: Sheet) -> list[int]:
    headings = [column.heading for column in sheet.columns]
    return [max(map(len, cells)) for cells in zip(headings, *sheet.rows, strict=True)]


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
