"""The eight symmetries of the board, on sets of squares."""

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
    images = []
    black, white = position.black, position.white
    for _ in range(2):
        for _ in range(2):
            images.append((black, white))
            images.append((mirror_files(black), mirror_files(white)))
            black, white = flip_ranks(black), flip_ranks(white)
        black, white = exchange_axes(black), exchange_axes(white)
    return (*min(images), int(position.to_move))
