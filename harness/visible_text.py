"""Which characters of a text can be shown as they are, and the text with the others replaced."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final

_BLANK_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks that show nothing; Python takes them for printable."""

_MARKS: Final = frozenset(("Mn", "Me"))
_MOST_MARKS: Final = 4
"""More on one letter are in no writing: they cover the lines above and below."""


def with_hidden_replaced(text: str, replace: Callable[[str], str]) -> str:
    """Return the text with ``replace(character)`` for each that steers, hides or covers others.

    These are control characters (line ends and tabs too), marks that change the writing
    direction, separators other than the space, invisible characters, unassigned and private ones,
    lone surrogates, and the fifth and later marks on one letter.
    """
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in _MARKS else 0
        is_visible = character.isprintable() and character not in _BLANK_LETTERS
        shown.append(character if is_visible and marks <= _MOST_MARKS else replace(character))
    return "".join(shown)


def with_hidden_escaped(text: str) -> str:
    r"""Return the text with the same characters written as ``\x1b``, ``\u202e`` and the like."""
    return with_hidden_replaced(text, _escaped)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
