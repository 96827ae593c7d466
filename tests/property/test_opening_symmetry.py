from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from harness.rules.position import Position
from harness.rules.types import Color
from harness.tournament.symmetry import colorless_key, colors_exchanged, symmetry_key
from tests.property.test_tournament_openings import SYMMETRIES

SQUARES = st.integers(0, 63)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    squares = draw(st.lists(SQUARES, min_size=2, max_size=24, unique=True))
    cut = draw(st.integers(1, len(squares) - 1))
    black, white = (sum(1 << one for one in part) for part in (squares[:cut], squares[cut:]))
    return Position(black, white, draw(st.sampled_from(Color)))


def image(position: Position, symmetry: Callable[[int, int], tuple[int, int]]) -> Position:
    def moved(pieces: int) -> int:
        result = 0
        for square in range(64):
            if pieces >> square & 1:
                x, y = symmetry(square % 8, square // 8)
                result |= 1 << (8 * y + x)
        return result

    return Position(moved(position.black), moved(position.white), position.to_move)


def all_images(position: Position) -> list[Position]:
    eight = [image(position, symmetry) for symmetry in SYMMETRIES]
    return eight + [Position(one.white, one.black, Color(1 - one.to_move)) for one in eight]


@given(positions())
def test_the_sixteen_images_share_one_key(position: Position) -> None:
    images = all_images(position)
    assert len({colorless_key(one) for one in images}) == 1
    assert len({symmetry_key(one) for one in images[:8]}) == 1
    assert colors_exchanged(position) == images[8]
    assert symmetry_key(position) != symmetry_key(images[8])  # another side is to move


@given(positions(), positions())
def test_a_key_is_shared_by_images_alone(one: Position, other: Position) -> None:
    assert (colorless_key(one) == colorless_key(other)) == (other in all_images(one))


@given(positions(), SQUARES)
def test_a_piece_of_the_other_side_makes_another_key(position: Position, square: int) -> None:
    bit = 1 << square
    if position.black & bit and position.black.bit_count() != position.white.bit_count() + 1:
        changed = Position(position.black ^ bit, position.white | bit, position.to_move)
        assert colorless_key(changed) != colorless_key(position)
