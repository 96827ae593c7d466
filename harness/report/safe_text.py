"""Text that came from a bot, made safe for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Return the text with everything that steers a terminal written as an escape.

    Control characters (line ends and tabs too), escape sequences, marks that change the writing
    direction, invisible characters and lone surrogates become ``\x1b``, ``\u202e`` and the like:
    a bot's output must not move the cursor, hide text or break a table.
    """
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )


def printable_lines(text: str) -> list[str]:
    """Return the lines of the text, each printable; tabs are widened and CR LF ends a line."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [printable(line.expandtabs(8)) for line in lines]
