"""Boards as two 64-bit sets: lines, moves and connectedness by precomputed tables.

A board is a pair of integers, ``own`` for the side to move and ``enemy`` for the other side; bit
``i`` is square ``i`` (a1 is 0, b1 is 1, h8 is 63). Nothing here validates a board: a pair is
taken as disjoint and within 64 bits.
"""

from __future__ import annotations

from typing import Final

from harness.rules.types import PASS, IllegalReason, Move

_NOT_FILE_A: Final = 0xFEFE_FEFE_FEFE_FEFE
_NOT_FILE_H: Final = 0x7F7F_7F7F_7F7F_7F7F
_BOARD: Final = 0xFFFF_FFFF_FFFF_FFFF
_DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


def _lines() -> tuple[tuple[int, ...], ...]:
    """Return the squares, in order, of each rank, file and diagonal that has room for a move."""
    lines = []
    for file_step, rank_step in _DIRECTIONS:
        for square in range(64):
            file, rank = square % 8, square // 8
            if 0 <= file - file_step < 8 and 0 <= rank - rank_step < 8:
                continue
            line = []
            while 0 <= file < 8 and 0 <= rank < 8:
                line.append(rank * 8 + file)
                file, rank = file + file_step, rank + rank_step
            if len(line) > 1:
                lines.append(tuple(line))
    return tuple(lines)


def _bits(squares: tuple[int, ...]) -> int:
    return sum(1 << square for square in squares)


def _geometry() -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return line, squares between and distance of every move (0, 0 and -1 off the lines)."""
    line_of, between, distance = [0] * 4096, [0] * 4096, [-1] * 4096
    for line in _lines():
        for low, origin in enumerate(line):
            for high in range(low + 1, len(line)):
                target = line[high]
                for move in (origin << 6 | target, target << 6 | origin):
                    line_of[move] = _bits(line)
                    between[move] = _bits(line[low + 1 : high])
                    distance[move] = high - low
    return tuple(line_of), tuple(between), tuple(distance)


_LINE_OF, _BETWEEN, _DISTANCE = _geometry()

# Tables indexed by the move; all zero for the pass, which so needs no case of its own.
ORIGIN_BIT: Final[tuple[int, ...]] = (*(1 << (move >> 6) for move in range(4095)), 0)
TARGET_BIT: Final[tuple[int, ...]] = (*(1 << (move & 63) for move in range(4095)), 0)
FLIP: Final[tuple[int, ...]] = tuple(
    origin ^ target for origin, target in zip(ORIGIN_BIT, TARGET_BIT, strict=True)
)
"""The bits that change on the mover's side, by move."""


def _groups() -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return the lines, short ones that do not cross put together up to eight squares."""
    groups: list[list[tuple[int, ...]]] = []
    for line in sorted(_lines(), key=len, reverse=True):
        for group in groups:
            squares = {*line, *(square for other in group for square in other)}
            if sum(map(len, group)) + len(line) == len(squares) <= 8:
                group.append(line)
                break
        else:
            groups.append([line])
    return tuple(tuple(group) for group in groups)


# What the pieces on a line can do depends on nothing but that line, so the answers are looked up
# by pattern. A table serves one line, or short diagonals with eight squares in all, and holds at
# most 3^8 patterns. It is filled as patterns are met: filling all at import would cost more
# than most runs ask for. A cache of a pure function: it changes how fast an answer comes, never
# which. A pattern is one number, the enemy's bits 64 places above the own ones.
_Table = dict[int, tuple[Move, ...]]
_TABLES: Final[tuple[tuple[int, _Table, tuple[tuple[int, ...], ...]], ...]] = tuple(
    (sum(_bits(line) for line in group) * ((1 << 64) + 1), {}, group) for group in _groups()
)


def _learn(table: _Table, group: tuple[tuple[int, ...], ...], pattern: int) -> tuple[Move, ...]:
    """Work out the moves of one pattern and remember them."""
    own, enemy = pattern & _BOARD, pattern >> 64
    moves = []
    for line in group:
        distance = ((own | enemy) & _bits(line)).bit_count()
        for place, origin in enumerate(line):
            if own >> origin & 1:
                for target_place in (place - distance, place + distance):
                    if 0 <= target_place < len(line):
                        move = Move(origin << 6 | line[target_place])
                        if not (own & TARGET_BIT[move] or enemy & _BETWEEN[move]):
                            moves.append(move)
    table[pattern] = tuple(moves)
    return table[pattern]


def legal_moves(own: int, enemy: int) -> list[Move]:
    """Return all moves of the pieces of ``own``, in a fixed order; none when it is blocked."""
    both = own | enemy << 64
    moves: list[Move] = []
    for mask, table, group in _TABLES:
        pattern = both & mask
        try:
            moves += table[pattern]
        except KeyError:
            moves += _learn(table, group, pattern)
    return moves


def has_legal_move(own: int, enemy: int) -> bool:
    """Tell whether ``own`` has any move but the pass."""
    both = own | enemy << 64
    for mask, table, group in _TABLES:
        pattern = both & mask
        try:
            if table[pattern]:
                return True
        except KeyError:
            if _learn(table, group, pattern):
                return True
    return False


def count_moves(own: int, enemy: int) -> int:
    """Return ``len(legal_moves(own, enemy))`` without making the list."""
    both = own | enemy << 64
    count = 0
    for mask, table, group in _TABLES:
        pattern = both & mask
        try:
            count += len(table[pattern])
        except KeyError:
            count += len(_learn(table, group, pattern))
    return count


def move_fault(own: int, enemy: int, move: Move) -> IllegalReason | None:
    """Return why the rules refuse ``move``, or None; a pass is legal when no move is."""
    if (
        own & ORIGIN_BIT[move]
        and ((own | enemy) & _LINE_OF[move]).bit_count() == _DISTANCE[move]
        and not enemy & _BETWEEN[move]
        and not own & TARGET_BIT[move]
    ):
        return None
    return _explain(own, enemy, move)


def _explain(own: int, enemy: int, move: Move) -> IllegalReason | None:
    forced = not has_legal_move(own, enemy)
    if move == PASS:
        return None if forced else IllegalReason.PASS_NOT_FORCED
    if forced:
        return IllegalReason.MUST_PASS
    if enemy & ORIGIN_BIT[move]:
        return IllegalReason.NOT_YOUR_PIECE
    if not own & ORIGIN_BIT[move]:
        return IllegalReason.NO_PIECE
    if not _LINE_OF[move]:
        return IllegalReason.NOT_ON_A_LINE
    if ((own | enemy) & _LINE_OF[move]).bit_count() != _DISTANCE[move]:
        return IllegalReason.WRONG_DISTANCE
    if enemy & _BETWEEN[move]:
        return IllegalReason.BLOCKED_BY_ENEMY
    return IllegalReason.OWN_PIECE_ON_TARGET


def apply_move(own: int, enemy: int, move: Move) -> tuple[int, int]:
    """Return the mover's and the other side's pieces after a legal move or a pass."""
    return own ^ FLIP[move], enemy & ~TARGET_BIT[move]


def _neighbourhood(pieces: int) -> int:
    """Return the squares beside ``pieces`` in any of the eight directions (not their own)."""
    beside = (pieces & _NOT_FILE_H) << 1 | (pieces & _NOT_FILE_A) >> 1
    row = beside | pieces
    return (row << 8 | row >> 8 | beside) & _BOARD


def _group(seed: int, pieces: int) -> int:
    """Return the pieces that touch ``seed``, directly or over others."""
    while True:
        row = (seed & _NOT_FILE_H) << 1 | (seed & _NOT_FILE_A) >> 1 | seed
        grown = (row | row << 8 | row >> 8) & pieces
        if grown == seed:
            return grown
        seed = grown


def is_connected(pieces: int) -> bool:
    """Tell whether the pieces form one group of eight-fold neighbours; one piece does."""
    lowest = pieces & -pieces
    if pieces == lowest:
        return pieces != 0
    # Most boards of a game have a piece that stands alone: one step in place of a whole flood.
    if pieces & ~_neighbourhood(pieces):
        return False
    return _group(lowest, pieces) == pieces


Apart = tuple[int, int]
"""Pieces of one side that touch none of its others, and these squares with all beside them."""

NOT_APART: Final[Apart] = (1 << 64, 0)
"""In place of pieces that are apart, where there are none: a bit that is on no board."""


def find_apart(pieces: int, near: int) -> Apart:
    """Return pieces that touch none of the others, away from ``near`` if that is a piece (a bit).

    As long as ``pieces & squares == apart != pieces`` holds for what was found, the side is not
    one group: a look in place of a flood. ``NOT_APART`` when there are none, the side being one
    group or having no piece; that never holds.
    """
    group = _group(near & pieces or pieces & -pieces, pieces)
    others = pieces ^ group
    if not others:
        return NOT_APART
    loners = others & ~_neighbourhood(others)
    apart = loners & -loners or _group(others & -others, others)
    return apart, apart | _neighbourhood(apart)


def count_groups(pieces: int) -> int:
    """Return the number of groups of eight-fold neighbours."""
    count = 0
    while pieces:
        pieces ^= _group(pieces & -pieces, pieces)
        count += 1
    return count
