"""Choosing balanced openings: generated ones that a judge finds even."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from harness.play.types import Opening
from harness.tournament.opening_generator import OpeningGenerator

MAX_CANDIDATES: Final = 1_000_000
_MAX_MISSES: Final = 1_000
"""So many openings in a row that the judge refuses end the search."""


class MakingEnd(Enum):
    """Why no more openings were made."""

    COMPLETE = "complete"
    EXHAUSTED = "exhausted"
    FRUITLESS = "fruitless"


@dataclass(frozen=True, slots=True)
class JudgedOpening:
    """An opening and its score in hundredths from the view of the side to move."""

    opening: Opening
    score_cp: int


@dataclass(frozen=True, slots=True)
class MadeOpenings:
    """The openings that were kept, in the order of the generator, of ``tried`` judged ones."""

    kept: tuple[JudgedOpening, ...]
    tried: int
    end: MakingEnd


def make_openings(
    generator: OpeningGenerator,
    judge: Callable[[Opening], int],
    balance_cp: int,
    count: int,
    tell: Callable[[int, int], None] = lambda kept, tried: None,
) -> MadeOpenings:
    """Return ``count`` openings with a score of at most ``balance_cp`` for either side.

    Fewer when the generator is exhausted, or when the judge refuses a thousand in a row. They
    are distinct up to the board's symmetries, as the generator gives them; exchanged colours
    join none of them either, because all have the same side to move. ``tell`` is called after
    each with the numbers kept and tried.
    """
    kept: list[JudgedOpening] = []
    tried = misses = 0
    end = MakingEnd.COMPLETE
    while len(kept) < count:
        generator.extend(tried + 1)
        if len(generator.found) <= tried:
            end = MakingEnd.EXHAUSTED
            break
        opening = generator.found[tried]
        tried += 1
        score_cp = judge(opening)
        if abs(score_cp) <= balance_cp:
            kept.append(JudgedOpening(opening, score_cp))
            misses = 0
        else:
            misses += 1
        tell(len(kept), tried)
        if misses >= _MAX_MISSES:
            end = MakingEnd.FRUITLESS
            break
    return MadeOpenings(tuple(kept), tried, end)
