"""The score in an ``info`` line, as one number that can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.whole_number import reported_number

WIN_CP: Final = 10**18
"""What ``score win N`` counts as: beyond every score in hundredths, which has 18 digits at most."""

_IS_WIN: Final[Mapping[str, bool]] = {"cp": False, "win": True, "mate": True}


def read_score(info: bytes | None) -> int | None:
    """Return the score of an ``info`` line in hundredths, from the view of the bot that wrote it.

    ``score cp N`` is N; ``score win N`` (or ``mate N``) is WIN_CP for the side that wins, whatever
    the distance: positive when N is, negative when N is. The last score of the line counts. None
    when there is none that can be read, and for ``win 0``, which says neither. The words after
    ``string`` are not looked at; a score marked ``lowerbound`` or ``upperbound`` is none. It is the
    reading of PROTOCOL.md.
    """
    if info is None:
        return None
    words = info.decode("utf-8", "replace").split()
    score: int | None = None
    place = 1
    while place < len(words) and words[place] != "string":
        is_win = _IS_WIN.get(words[place + 1]) if place + 2 < len(words) else None
        if words[place] != "score" or is_win is None:
            place += 1
            continue
        number = reported_number(words[place + 2])
        is_bound = words[place + 3 : place + 4] in (["lowerbound"], ["upperbound"])
        if number is not None and not is_bound:
            score = _beyond_any(number) if is_win else number
        place += 3
    return score


def has_score(info: bytes) -> bool:
    """Whether an ``info`` line has a score that can be read; quick for lines without one."""
    return b"score" in info and read_score(info) is not None


def _beyond_any(distance: int) -> int | None:
    if distance == 0:
        return None
    return WIN_CP if distance > 0 else -WIN_CP
