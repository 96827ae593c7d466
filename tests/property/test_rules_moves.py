from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import IllegalMoveError
from harness.rules import board
from harness.rules.notation import format_move
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.types import PASS, Color, IllegalReason, Move, make_move, origin_of, target_of
from tests.unit.rules import oracle

Symmetry = Callable[[int], int]

SYMMETRIES: list[Symmetry] = [
    lambda square: square,
    lambda square: square ^ 7,
    lambda square: square ^ 56,
    lambda square: square ^ 63,
    lambda square: square % 8 * 8 + square // 8,
    lambda square: (square % 8 * 8 + square // 8) ^ 7,
    lambda square: (square % 8 * 8 + square // 8) ^ 56,
    lambda square: (square % 8 * 8 + square // 8) ^ 63,
]


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Scattered or crowded boards of any material, decided ones included."""
    squares = draw(st.lists(st.integers(0, 63), min_size=2, max_size=24, unique=True))
    white_count = draw(st.integers(max(1, len(squares) - 12), min(12, len(squares) - 1)))
    white = sum(1 << square for square in squares[:white_count])
    black = sum(1 << square for square in squares[white_count:])
    return Position(black, white, draw(st.sampled_from(Color)))


@st.composite
def reached_positions(draw: st.DrawFn) -> Position:
    """Positions of random games."""
    position = draw(st.sampled_from([STANDARD_START, SCRAMBLED_EGGS_START]))
    for choice in draw(st.lists(st.integers(0, 1000), max_size=60)):
        if board.is_connected(position.black) or board.is_connected(position.white):
            break
        moves = position.legal_moves() or [PASS]
        position = position.after(moves[choice % len(moves)])
    return position


any_positions = st.one_of(positions(), reached_positions())


def mapped(pieces: int, symmetry: Symmetry) -> int:
    return sum(1 << symmetry(square) for square in range(64) if pieces >> square & 1)


def mapped_move(move: Move, symmetry: Symmetry) -> tuple[int, int]:
    return symmetry(origin_of(move)), symmetry(target_of(move))


def ends_of(moves: list[Move]) -> set[tuple[int, int]]:
    return {(origin_of(move), target_of(move)) for move in moves}


@given(any_positions)
def test_moves_are_those_of_the_oracle(position: Position) -> None:
    places, side = oracle.read(str(position))
    expected = {oracle.move_name(places, step) for step in oracle.legal_steps(places, side)}
    moves = position.legal_moves()
    assert {format_move(position, move) for move in moves} == expected
    assert len(moves) == len(expected) == board.count_moves(position.own, position.enemy)
    assert position.has_legal_move() == bool(expected)


@given(any_positions)
def test_groups_are_those_of_the_oracle(position: Position) -> None:
    places, _ = oracle.read(str(position))
    for side, pieces in (("b", position.black), ("w", position.white)):
        groups = oracle.group_count(places, side)
        assert board.count_groups(pieces) == groups
        assert board.is_connected(pieces) == (groups == 1)


@given(st.sets(st.integers(0, 63), min_size=1, max_size=30))
def test_connectedness_of_any_set_is_that_of_the_oracle(squares: set[int]) -> None:
    places = {(square % 8, square // 8): "b" for square in squares}
    pieces = sum(1 << square for square in squares)
    assert board.count_groups(pieces) == oracle.group_count(places, "b")
    assert board.is_connected(pieces) == (oracle.group_count(places, "b") == 1)


@given(st.sets(st.integers(0, 63), min_size=1, max_size=30), st.integers(0, 63))
def test_what_is_apart_touches_no_other_piece(squares: set[int], near: int) -> None:
    pieces = sum(1 << square for square in squares)
    apart, around = board.find_apart(pieces, 1 << near)
    if board.count_groups(pieces) == 1:
        assert (apart, around) == board.NOT_APART
        assert pieces & around != apart
        return
    beside = {
        square
        for square in range(64)
        if any(
            apart >> other & 1
            and max(abs(square % 8 - other % 8), abs(square // 8 - other // 8)) < 2
            for other in range(64)
        )
    }
    assert around == sum(1 << square for square in beside)
    assert pieces & around == apart != pieces
    assert apart > 0
    assert not (near in squares and apart >> near & 1)


@given(any_positions)
def test_each_move_is_judged_as_the_list_says(position: Position) -> None:
    legal = set(position.legal_moves())
    for origin in range(64):
        for target in range(64):
            if origin != target:
                move = Move(origin << 6 | target)
                assert (position.fault_of(move) is None) == (move in legal)
    assert (position.fault_of(PASS) is None) == (not legal)


@given(any_positions, st.integers(0, 63), st.integers(0, 62))
def test_the_reason_given_is_true(position: Position, origin: int, beside: int) -> None:
    target = beside + (beside >= origin)
    move = Move(origin << 6 | target)
    places, side = oracle.read(str(position))
    start, end = (origin % 8, origin // 8), (target % 8, target // 8)
    across, up = end[0] - start[0], end[1] - start[1]
    length = max(abs(across), abs(up))
    straight = across == 0 or up == 0 or abs(across) == abs(up)
    step = (across // length, up // length) if straight else (0, 0)
    jumped = [(start[0] + step[0] * n, start[1] + step[1] * n) for n in range(1, length)]
    match position.fault_of(move):
        case None:
            assert (start, end) in oracle.legal_steps(places, side)
        case IllegalReason.NO_PIECE:
            assert start not in places
        case IllegalReason.NOT_YOUR_PIECE:
            assert places[start] != side
        case IllegalReason.NOT_ON_A_LINE:
            assert not straight
        case IllegalReason.WRONG_DISTANCE:
            assert oracle.count_on_line(places, start, step) != length
        case IllegalReason.BLOCKED_BY_ENEMY:
            assert oracle.other(side) in [places.get(square) for square in jumped]
        case IllegalReason.OWN_PIECE_ON_TARGET:
            assert places[end] == side
        case IllegalReason.MUST_PASS:
            assert not oracle.legal_steps(places, side)
        case IllegalReason.PASS_NOT_FORCED:
            pytest.fail("no pass was played")


@given(any_positions)
def test_checked_and_trusted_play_agree_with_the_oracle(position: Position) -> None:
    places, side = oracle.read(str(position))
    for step in oracle.legal_steps(places, side):
        (file, rank), (to_file, to_rank) = step
        move = Move((rank * 8 + file) << 6 | (to_rank * 8 + to_file))
        after = position.after(move)
        assert position.play(move) == after
        assert oracle.read(str(after)) == (oracle.step_after(places, step), oracle.other(side))
        assert position.is_capture(move) == (step[1] in places)


@given(any_positions, st.integers(0, 4094))
def test_a_refused_move_raises(position: Position, number: int) -> None:
    if position.fault_of(Move(number)) is not None:
        with pytest.raises(IllegalMoveError):
            position.play(Move(number))


@given(any_positions)
def test_moves_commute_with_the_symmetries(position: Position) -> None:
    moves = position.legal_moves()
    for symmetry in SYMMETRIES:
        image = Position(
            mapped(position.black, symmetry), mapped(position.white, symmetry), position.to_move
        )
        assert ends_of(image.legal_moves()) == {mapped_move(move, symmetry) for move in moves}
        assert board.count_groups(image.black) == board.count_groups(position.black)


def test_there_are_eight_symmetries() -> None:
    assert len({tuple(map(symmetry, range(64))) for symmetry in SYMMETRIES}) == 8


@given(any_positions)
def test_moves_commute_with_swapping_colours(position: Position) -> None:
    swapped = Position(position.white, position.black, position.to_move.opponent)
    assert swapped.legal_moves() == position.legal_moves()
    for move in position.legal_moves():
        after, twin = position.after(move), swapped.after(move)
        assert (twin.black, twin.white) == (after.white, after.black)


@given(any_positions)
def test_only_a_capture_changes_the_groups_of_the_other_side(position: Position) -> None:
    for move in position.legal_moves():
        after = position.after(move)
        if not position.is_capture(move):
            assert after.own == position.enemy
            assert board.count_groups(after.own) == board.count_groups(position.enemy)
        assert after.own.bit_count() == position.enemy.bit_count() - position.is_capture(move)
        assert after.enemy.bit_count() == position.own.bit_count()


@given(st.integers(0, 7), st.integers(0, 255), st.booleans())
def test_a_full_line_moves_nothing_along_itself(line: int, colours: int, upright: bool) -> None:
    squares = [line + 8 * n if upright else 8 * line + n for n in range(8)]
    own = sum(1 << square for n, square in enumerate(squares) if colours >> n & 1)
    enemy = sum(1 << square for square in squares) ^ own
    along = {(a, b) for a in squares for b in squares}
    assert not ends_of(board.legal_moves(own, enemy)) & along


@given(any_positions)
def test_no_move_is_longer_than_seven_and_none_stays(position: Position) -> None:
    for move in position.legal_moves():
        origin, target = origin_of(move), target_of(move)
        across, up = abs(origin % 8 - target % 8), abs(origin // 8 - target // 8)
        assert 1 <= max(across, up) <= 7
        assert across in (0, up) or up == 0


@given(st.integers(0, 63))
def test_a_lone_piece_steps_to_its_neighbours(square: int) -> None:
    file, rank = square % 8, square // 8
    beside = [(file + across, rank + up) for across, up in oracle.DIRECTIONS]
    expected = {(square, r * 8 + f) for f, r in beside if oracle.inside(f, r)}
    assert ends_of(board.legal_moves(1 << square, 0)) == expected


@given(any_positions)
def test_lists_are_ordered_alike_whenever_asked(position: Position) -> None:
    assert position.legal_moves() == position.legal_moves()


def test_moves_are_numbers_of_two_squares() -> None:
    for move in STANDARD_START.legal_moves():
        assert make_move(origin_of(move), target_of(move)) == move
