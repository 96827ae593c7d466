from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from harness.rules import board
from harness.rules.game import Game
from harness.rules.notation import format_move
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.types import (
    PASS,
    Color,
    NoMovesRule,
    RuleSet,
    SimultaneousRule,
    Termination,
    Verdict,
)
from tests.unit.rules import oracle

rule_sets = st.builds(
    RuleSet,
    simultaneous=st.sampled_from(SimultaneousRule),
    no_moves=st.sampled_from(NoMovesRule),
    repetition=st.sampled_from([0, 2, 3, 4]),
    max_plies=st.one_of(st.none(), st.integers(1, 300)),
)


@st.composite
def starts(draw: st.DrawFn) -> Position:
    """The two starts, or a few scattered pieces, where games repeat and end soon."""
    if draw(st.booleans()):
        return draw(st.sampled_from([STANDARD_START, SCRAMBLED_EGGS_START]))
    squares = draw(st.lists(st.integers(0, 63), min_size=4, max_size=10, unique=True))
    half = len(squares) // 2
    black = sum(1 << square for square in squares[:half])
    white = sum(1 << square for square in squares[half:])
    return Position(black, white, draw(st.sampled_from(Color)))


def judged(
    places: oracle.Board, side: str, rules: RuleSet, plies: int, occurrences: int
) -> tuple[str, str | None] | None:
    """Judge by the written rules a board on which the other side than ``side`` has moved."""
    mover = oracle.other(side)
    connected = {s for s in "bw" if oracle.group_count(places, s) == 1}
    if len(connected) == 2:
        wins = rules.simultaneous is SimultaneousRule.MOVER
        return "simultaneous-connection", mover if wins else None
    if connected:
        return "connection", connected.pop()
    if plies and rules.repetition and occurrences >= rules.repetition:
        return "repetition", None
    if rules.max_plies is not None and plies >= rules.max_plies:
        return "max-plies", None
    if rules.no_moves is not NoMovesRule.PASS and not oracle.legal_steps(places, side):
        return "no-moves", mover if rules.no_moves is NoMovesRule.LOSS else None
    return None


def told(verdict: Verdict | None) -> tuple[str, str | None] | None:
    if verdict is None:
        return None
    winner = None if verdict.winner is None else verdict.winner.word[0]
    return verdict.termination.value, winner


@given(starts(), rule_sets, st.integers(0, 2**32))
def test_games_go_as_the_oracle_says(start: Position, rules: RuleSet, seed: int) -> None:
    chance = random.Random(seed)
    game = Game(start, rules)
    seen = Counter([str(start)])
    places, side = oracle.read(str(start))
    assert told(game.verdict) == judged(places, side, rules, 0, 1)
    undo: str | None = None
    while game.verdict is None and len(game.moves) < 120:
        steps = {oracle.move_name(places, step): step for step in oracle.legal_steps(places, side)}
        moves = game.legal_moves()
        assert {format_move(game.position, move) for move in moves} == (set(steps) or {"pass"})
        # Half of the time go back where one came from, so that positions do repeat.
        names = {format_move(game.position, move): move for move in moves}
        back = names.get(undo or "")
        move = back if back is not None and chance.random() < 0.5 else chance.choice(moves)
        name = format_move(game.position, move)
        verdict = game.push(move)
        if move != PASS:
            places = oracle.step_after(places, steps[name])
        side = oracle.other(side)
        seen[str(game.position)] += 1
        undo = _back(list(game.moves))
        assert oracle.read(str(game.position)) == (places, side)
        expected = judged(places, side, rules, len(game.moves), seen[str(game.position)])
        assert told(verdict) == told(game.verdict) == expected


def _back(moves: list[int]) -> str | None:
    """The quiet move that takes back the last move of the side to move."""
    if len(moves) < 2:
        return None
    names = [file + rank for rank in "12345678" for file in "abcdefgh"]
    return f"{names[moves[-2] & 63]}-{names[moves[-2] >> 6]}"


@given(starts(), st.integers(0, 2**32))
def test_what_connects_the_other_side_is_a_capture(start: Position, seed: int) -> None:
    chance = random.Random(seed)
    game = Game(start, RuleSet(max_plies=400))
    verdict, capture = game.verdict, True
    while verdict is None:
        move = chance.choice(game.legal_moves())
        capture = game.position.is_capture(move)
        verdict = game.push(move)
        assert game.position.black
        assert game.position.white
    if verdict.termination is Termination.SIMULTANEOUS_CONNECTION:
        assert capture
    if verdict.termination is Termination.CONNECTION:
        assert capture or verdict.winner is game.to_move.opponent
        winner_is_black = verdict.winner is Color.BLACK
        assert board.is_connected(game.position.black) == winner_is_black
        assert board.is_connected(game.position.white) != winner_is_black


@given(starts(), rule_sets, st.integers(0, 2**32))
def test_a_game_is_its_start_and_moves(start: Position, rules: RuleSet, seed: int) -> None:
    chance = random.Random(seed)
    game = Game(start, rules)
    while game.verdict is None and len(game.moves) < 80:
        game.push(chance.choice(game.legal_moves()))
    again = Game(start, rules)
    for move in game.moves:
        again.play(move)
    assert (again.verdict, again.position) == (game.verdict, game.position)


@given(st.integers(0, 2**32))
def test_scrambled_eggs_mirrored_is_the_same_game_with_colours_swapped(seed: int) -> None:
    chance = random.Random(seed)
    start = SCRAMBLED_EGGS_START
    mirror = Position(start.black, start.white, Color.WHITE)
    game, twin = Game(start, RuleSet(max_plies=200)), Game(mirror, RuleSet(max_plies=200))
    while game.verdict is None:
        move = chance.choice(game.legal_moves())
        game.push(move)
        twin.play(move if move == PASS else type(move)(move ^ 0b000111_000111))
    assert twin.verdict is not None
    assert twin.verdict.termination is game.verdict.termination
    if game.verdict.winner is not None:
        assert twin.verdict.winner is game.verdict.winner.opponent
