"""The eight symmetries of the board and the exchange of the colours, on sets of squares."""

from __future__ import annotations

from typing import Final

from harness.rules.position import Position

_EVERY_FILE: Final = 0x0101_0101_0101_0101


def flip_ranks(pieces: int) -> int:
    """Return the set with rank 1 and rank 8 exchanged, and so on."""
    return int.from_bytes(pieces.to_bytes(8, "little"), "big")


def mirror_files(pieces: int) -> int:
    """Return the set with file a and file h exchanged, and so on."""
    pieces = (pieces >> 1) & _EVERY_FILE * 0x55 | (pieces & _EVERY_FILE * 0x55) << 1
    pieces = (pieces >> 2) & _EVERY_FILE * 0x33 | (pieces & _EVERY_FILE * 0x33) << 2
    return (pieces >> 4) & _EVERY_FILE * 0x0F | (pieces & _EVERY_FILE * 0x0F) << 4


def exchange_axes(pieces: int) -> int:
    """Return the set mirrored in the diagonal from a1 to h8."""
    swapped = (pieces ^ pieces >> 7) & 0x00AA_00AA_00AA_00AA
    pieces ^= swapped | swapped << 7
    swapped = (pieces ^ pieces >> 14) & 0x0000_CCCC_0000_CCCC
    pieces ^= swapped | swapped << 14
    swapped = (pieces ^ pieces >> 28) & 0x0000_0000_F0F0_F0F0
    return pieces ^ swapped ^ swapped << 28


def symmetry_key(position: Position) -> tuple[int, int, int]:
    """Return a value that is equal for two positions exactly when a symmetry joins them."""
    return (*min(_images(position.black, position.white)), int(position.to_move))


def colorless_key(position: Position) -> tuple[int, int]:
    """Return a value that is equal exactly when a symmetry or exchanged colours join two positions.

    With the colours the side to move is exchanged too, so that the pieces of the side to move
    and those of the other side say all: the rules know no other difference between the colours.
    """
    return min(_images(position.own, position.enemy))


def colors_exchanged(position: Position) -> Position:
    """Return the position in which each side has the pieces and the turn of the other."""
    return Position(position.white, position.black, position.to_move.opponent)


def _images(one: int, other: int) -> list[tuple[int, int]]:
    """Return the eight images of two sets of squares."""
    images = []
    for _ in range(2):
        for _ in range(2):
            images.append((one, other))
            images.append((mirror_files(one), mirror_files(other)))
            one, other = flip_ranks(one), flip_ranks(other)
        one, other = exchange_axes(one), exchange_axes(other)
    return images
