"""The bots' view of an end must be that of the rules core, for every set of rules."""

from __future__ import annotations

import random
from itertools import product

import pytest

from bots.outcome import WIN, Ending
from harness.errors import PositionError
from harness.rules.game import Game
from harness.rules.notation import parse_fen
from harness.rules.position import Position, Setup
from harness.rules.types import Color, NoMovesRule, RuleSet, SimultaneousRule, Termination

BLOCKING = "bww5/ww6/w1w5/8/8/5w1w/6ww/2w3wb w"


def crowded_positions(count: int, seed: int) -> list[Position]:
    """Few pieces near the middle: ends are near, and both sides are often connected at once."""
    chance = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        black = white = 0
        for _ in range(chance.randrange(4, 12)):
            square = chance.randrange(2, 6) + 8 * chance.randrange(2, 6)
            if chance.random() < 0.5:
                black |= 1 << square
            else:
                white |= 1 << square
        try:
            found.append(Setup(black & ~white, white, Color(chance.randrange(2))).position())
        except PositionError:
            continue
    return found


@pytest.mark.parametrize(
    "rules", [RuleSet(*pair, repetition=0) for pair in product(SimultaneousRule, NoMovesRule)]
)
def test_an_end_is_what_the_rules_say(rules: RuleSet) -> None:
    ending = Ending(rules)
    met = set()
    for position in [*crowded_positions(150, 3), parse_fen(BLOCKING).position()]:
        game = Game(position, rules)
        for move in game.legal_moves():
            if not position.has_legal_move():
                continue
            verdict = Game(position, rules).push(move)
            after = position.after(move)
            # After the move the mover is the side that is not to move.
            value = ending.after(after.enemy, after.own, position.enemy, move)
            if verdict is None:
                assert value is None
                continue
            met.add(verdict.termination)
            won = {position.to_move: WIN, position.to_move.opponent: -WIN, None: 0}
            assert value == won[verdict.winner]
    expected = {Termination.CONNECTION, Termination.SIMULTANEOUS_CONNECTION}
    if rules.no_moves is not NoMovesRule.PASS:
        expected.add(Termination.NO_MOVES)
    assert met == expected
