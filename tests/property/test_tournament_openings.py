from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.play.types import Opening
from harness.rules.board import count_groups
from harness.rules.game import Game
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.types import PASS, Color, RuleSet
from harness.tournament.openings import opening_list
from harness.tournament.spec import OpeningSource

RULES = RuleSet(max_plies=400)
STARTS = st.sampled_from([STANDARD_START, SCRAMBLED_EGGS_START])
SEEDS = st.integers(0, 2**63 - 1)
PLIES = st.integers(1, 8)

# Every symmetry of the square, by what it does to coordinates.
SYMMETRIES: Sequence[Callable[[int, int], tuple[int, int]]] = [
    lambda x, y: (x, y),
    lambda x, y: (7 - x, y),
    lambda x, y: (x, 7 - y),
    lambda x, y: (7 - x, 7 - y),
    lambda x, y: (y, x),
    lambda x, y: (7 - y, x),
    lambda x, y: (y, 7 - x),
    lambda x, y: (7 - y, 7 - x),
]


def openings_of(start: Position, plies: int, seed: int, count: int) -> list[Opening]:
    return list(opening_list(OpeningSource(start, "", plies), RULES, seed, count))


def reached(opening: Opening) -> Position:
    position = opening.start
    for move in opening.moves:
        position = position.play(move)
    return position


def images(position: Position) -> frozenset[tuple[Color, frozenset[tuple[int, int, str]]]]:
    pieces = [
        (square % 8, square // 8, name)
        for name, side in (("b", position.black), ("w", position.white))
        for square in range(64)
        if side >> square & 1
    ]
    return frozenset(
        (position.to_move, frozenset((*symmetry(x, y), name) for x, y, name in pieces))
        for symmetry in SYMMETRIES
    )


@settings(max_examples=10, deadline=None)
@given(STARTS, PLIES, SEEDS)
def test_no_symmetry_joins_two_openings(start: Position, plies: int, seed: int) -> None:
    openings = openings_of(start, plies, seed, 8 if plies == 1 else 40)
    keys = {images(reached(opening)) for opening in openings}
    assert len(keys) == len(openings)


@settings(max_examples=10, deadline=None)
@given(STARTS, PLIES, SEEDS, st.integers(1, 20), st.integers(1, 20))
def test_a_longer_list_begins_with_the_shorter_one(
    start: Position, plies: int, seed: int, one: int, other: int
) -> None:
    short, long = sorted((one, other))
    assert openings_of(start, plies, seed, long)[:short] == openings_of(start, plies, seed, short)
    source = OpeningSource(start, "", plies)
    assert (
        opening_list(source, RULES, seed, 0)[long - 1]
        == openings_of(start, plies, seed, long)[long - 1]
    )


@settings(max_examples=10, deadline=None)
@given(STARTS, PLIES, SEEDS)
def test_openings_are_undecided_balanced_and_no_side_wins_in_one(
    start: Position, plies: int, seed: int
) -> None:
    for opening in openings_of(start, plies, seed, 8):
        assert len(opening.moves) == plies
        assert PASS not in opening.moves
        game = Game(start, RULES)
        assert all(game.play(move) is None for move in opening.moves)
        position = game.position
        assert abs(position.black.bit_count() - position.white.bit_count()) <= 1
        assert position.has_legal_move()
        other = Color.WHITE if position.to_move is Color.BLACK else Color.BLACK
        for side in (position, Position(position.black, position.white, other)):
            for move in side.legal_moves():
                after = side.after(move)
                assert count_groups(after.enemy) > 1


@settings(max_examples=10, deadline=None)
@given(PLIES, SEEDS, SEEDS)
def test_another_seed_gives_another_list(plies: int, one: int, other: int) -> None:
    if one != other and plies > 2:
        first = openings_of(STANDARD_START, plies, one, 10)
        assert first != openings_of(STANDARD_START, plies, other, 10)
