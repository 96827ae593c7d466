"""Whole numbers in text that others wrote, read strictly: ASCII digits, at most one sign."""

from __future__ import annotations

import re
from typing import Final

MAX_DIGITS: Final = 18
"""What every program can hold in 64 bits; more is no number that a bot or a file can mean."""

_WHOLE_NUMBER: Final = re.compile(r"-?[0-9]+")


def whole_number(text: str, max_digits: int = MAX_DIGITS) -> int | None:
    """Return the number that the text is, whole; None for anything else.

    Neither blanks, ``1_000``, a plus sign nor digits of other scripts, all of which ``int`` reads:
    other programs do not. None also for more than ``max_digits`` digits, leading zeros included.
    """
    if _WHOLE_NUMBER.fullmatch(text) is None or len(text.lstrip("-")) > max_digits:
        return None
    return int(text)


def reported_number(text: str) -> int | None:
    """Return the number that a bot or a runner reports: as ``whole_number``, or ``+`` and digits.

    The sign is common before scores.
    """
    return whole_number(text[1:] if text[:1] == "+" and text[1:2] != "-" else text)
