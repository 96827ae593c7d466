from __future__ import annotations

from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.types import Color
from harness.tournament.symmetry import (
    exchange_axes,
    flip_ranks,
    mirror_files,
    symmetry_key,
)

A1, H1, A8, B1, A2 = 1 << 0, 1 << 7, 1 << 56, 1 << 1, 1 << 8


def test_each_reflection_moves_every_square_as_it_should() -> None:
    for rank in range(8):
        for file in range(8):
            square = 1 << (rank * 8 + file)
            assert flip_ranks(square) == 1 << ((7 - rank) * 8 + file)
            assert mirror_files(square) == 1 << (rank * 8 + 7 - file)
            assert exchange_axes(square) == 1 << (file * 8 + rank)


def test_images_share_a_key_and_others_do_not() -> None:
    one = Position(A1 | B1, H1, Color.BLACK)
    mirrored = Position(H1 | 1 << 6, A1, Color.BLACK)
    turned = Position(A8 | 1 << 48, A1, Color.BLACK)
    assert symmetry_key(one) == symmetry_key(mirrored) == symmetry_key(turned)
    assert symmetry_key(one) != symmetry_key(Position(A1 | B1, H1, Color.WHITE))
    assert symmetry_key(one) != symmetry_key(Position(H1, A1 | B1, Color.BLACK))
    assert symmetry_key(one) != symmetry_key(Position(A1 | A2 << 1, H1, Color.BLACK))


def test_the_starts_are_their_own_images() -> None:
    # Scrambled Eggs is its own image when the sides are exchanged, see the facts on the rules.
    assert mirror_files(STANDARD_START.black) == STANDARD_START.black
    assert exchange_axes(STANDARD_START.black) == STANDARD_START.white
    assert mirror_files(SCRAMBLED_EGGS_START.black) == SCRAMBLED_EGGS_START.white
