from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from bots.evaluation import evaluate, side_value
from harness.rules.board import count_groups, legal_moves

squares = st.sets(st.integers(0, 63), min_size=1, max_size=12)


def bits(places: set[int]) -> int:
    return sum(1 << place for place in places)


def value_by_hand(places: set[int]) -> int:
    """The documented features, counted square by square."""
    points = [(place % 8, place // 8) for place in places]
    count = len(points)
    # The square nearest to the centre of mass; halves are rounded up.
    middle = [
        next(whole for whole in range(8) if 2 * sum(axis) < (2 * whole + 1) * count)
        for axis in zip(*points, strict=True)
    ]
    spread: int = sum(max(abs(x - middle[0]), abs(y - middle[1])) for x, y in points)
    # One piece stands in the middle, eight beside it, all others are two steps away.
    least = sum(0 if place == 0 else 1 if place <= 8 else 2 for place in range(count))
    width, height = (max(axis) - min(axis) + 1 for axis in zip(*points, strict=True))
    central = sum(min(x, 7 - x, y, 7 - y) for x, y in points)
    concentration: int = 900 * count // (count + 2 * (spread - least))
    groups = count_groups(bits(places))
    value: int = concentration + 24 * count - 3 * width * height + 3 * central - 9 * groups
    return value


@given(squares)
def test_a_side_is_worth_what_its_features_add_up_to(places: set[int]) -> None:
    assert side_value(bits(places)) == value_by_hand(places)


@given(squares, squares)
def test_both_sides_are_judged_alike(own_places: set[int], enemy_places: set[int]) -> None:
    enemy_places -= own_places
    if not enemy_places:
        return
    own, enemy = bits(own_places), bits(enemy_places)
    mobility = len(legal_moves(own, enemy)) - len(legal_moves(enemy, own))
    sides = value_by_hand(own_places) - value_by_hand(enemy_places)
    assert evaluate(own, enemy) == sides + 5 * mobility + 18
    assert evaluate(own, enemy) + evaluate(enemy, own) == 2 * 18


def test_a_side_without_pieces_can_be_judged() -> None:
    """A runner may have a game played on beyond its end."""
    assert evaluate(0, bits({0, 9})) < evaluate(bits({0, 9}), 0)


def test_what_is_remembered_is_what_is_counted() -> None:
    chance = random.Random(2)
    boards = [set(chance.sample(range(64), 10)) for _ in range(50)]
    first = [side_value(bits(places)) for places in boards]
    side_value.cache_clear()
    assert [side_value(bits(places)) for places in reversed(boards)] == first[::-1]
