"""Plain text tables that never cut anything off: for a terminal, a pipe and ``grep`` alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from harness.report.safe_text import printable

_SAMPLE: Final = 1_000
_GAP: Final = "  "


def table_lines(
    head: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()
) -> Iterator[str]:
    """Yield the lines of a table, the head first.

    The widths are those of the first thousand rows, so that a million rows are not held; a
    longer cell later shifts its own line only. ``right`` are the columns set to the right.
    """
    remaining = iter(rows)
    sample = [[printable(cell) for cell in row] for row in islice(remaining, _SAMPLE)]
    widths = [max(map(len, column)) for column in zip(head, *sample, strict=True)]
    for row in chain([head], sample, ([printable(cell) for cell in row] for row in remaining)):
        cells = (
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield _GAP.join(cells).rstrip()
