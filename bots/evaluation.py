"""How good a position is for one side, in whole numbers: hundredths of about a piece's worth.

Features and their weight follow what is known of the game: mobility, concentration (the pieces'
distance to their centre of mass), material, the area that they spread over, centralisation and
the number of groups (see Winands and others, "An evaluation function for Lines of Action",
2003). Each side's part depends on its pieces alone and is cached.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from harness.rules.board import count_groups, count_moves

_CACHED_BOARDS: Final = 1 << 17
_MOBILITY: Final = 5
_CONCENTRATION: Final = 900
_MATERIAL: Final = 24
_AREA: Final = 3
_CENTRE: Final = 3
_GROUP: Final = 9
_TO_MOVE: Final = 18

_FILES: Final = tuple(sum(1 << (rank * 8 + file) for rank in range(8)) for file in range(8))
_RANKS: Final = tuple(0xFF << (8 * rank) for rank in range(8))


def _rings() -> tuple[tuple[int, ...], ...]:
    """Return, for each square, the squares at distance 1 to 7 from it (king's moves)."""
    rings = [[0] * 8 for _ in range(64)]
    for one in range(64):
        for other in range(64):
            distance = max(abs(one % 8 - other % 8), abs(one // 8 - other // 8))
            rings[one][distance] |= 1 << other
    return tuple(tuple(ring[1:]) for ring in rings)


def _least_spread() -> tuple[int, ...]:
    """Return the least sum of distances to a centre of so many pieces: eight fit at distance 1."""
    return tuple(max(0, pieces - 1) + max(0, pieces - 9) for pieces in range(65))


_RINGS: Final = _rings()
_LEAST_SPREAD: Final = _least_spread()
_CENTRE_RINGS: Final = tuple(
    sum(
        1 << square
        for square in range(64)
        if min(square % 8, 7 - square % 8, square // 8, 7 - square // 8) >= depth
    )
    for depth in (1, 2, 3)
)


def evaluate(own: int, enemy: int) -> int:
    """Return the value of an undecided position for the side to move, whose pieces ``own`` are."""
    return (
        side_value(own)
        - side_value(enemy)
        + _MOBILITY * (count_moves(own, enemy) - count_moves(enemy, own))
        + _TO_MOVE
    )


@lru_cache(maxsize=_CACHED_BOARDS)
def side_value(pieces: int) -> int:
    """Return what the pieces of one side are worth by themselves."""
    count = pieces.bit_count()
    if not count:
        return 0  # only beyond the end of a game: a side's last piece is connected
    files = [(pieces & mask).bit_count() for mask in _FILES]
    ranks = [(pieces & mask).bit_count() for mask in _RANKS]
    file_sum = sum(place * number for place, number in enumerate(files))
    rank_sum = sum(place * number for place, number in enumerate(ranks))
    centre = (2 * rank_sum + count) // (2 * count) * 8 + (2 * file_sum + count) // (2 * count)
    spread = 0
    for distance, ring in enumerate(_RINGS[centre], 1):
        spread += distance * (pieces & ring).bit_count()
    surplus = spread - _LEAST_SPREAD[count]
    central = sum((pieces & ring).bit_count() for ring in _CENTRE_RINGS)
    return (
        _CONCENTRATION * count // (count + 2 * surplus)
        + _MATERIAL * count
        - _AREA * _extent(files) * _extent(ranks)
        + _CENTRE * central
        - _GROUP * count_groups(pieces)
    )


def _extent(counts: list[int]) -> int:
    """Return how many ranks or files the pieces span."""
    occupied = [place for place, number in enumerate(counts) if number]
    return occupied[-1] - occupied[0] + 1
