"""Text that came from a bot, made safe for a terminal, a page and a spreadsheet."""

from __future__ import annotations

from typing import Final

from harness.visible_text import with_hidden_escaped

_FORMULA_SIGNS: Final = tuple("=+-@\uff1d\uff0b\uff0d\uff20")


def printable(text: str) -> str:
    r"""Return the text with everything that steers a terminal written as an escape.

    Control characters (line ends and tabs too), escape sequences, marks that change the writing
    direction, invisible characters, lone surrogates and the fifth and later marks on one letter
    become ``\x1b``, ``\u202e`` and the like: a bot's output must not move the cursor, hide text
    or break a table.
    """
    return with_hidden_escaped(text)


def printable_lines(text: str) -> list[str]:
    """Return the lines of the text, each printable; tabs are widened and CR LF ends a line."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [printable(line.expandtabs(8)) for line in lines]


def csv_text(text: str) -> str:
    """Return a text for a cell of CSV: printable, and no formula to a spreadsheet.

    What begins with ``=``, ``+``, ``-`` or ``@`` (full width too) gets an apostrophe before it,
    which spreadsheets do not show. Numbers are written as numbers and do not come here.
    """
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA_SIGNS) else shown
