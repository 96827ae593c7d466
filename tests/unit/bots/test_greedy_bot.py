from __future__ import annotations

from bots import greedy_bot
from harness.rules.game import Game
from harness.rules.notation import parse_fen
from harness.rules.position import STANDARD_START, Position
from harness.rules.types import Move, RuleSet
from tests.unit.bots.support import Player, turn_of

# Seven of 27 moves or fewer win at once: chance alone seldom finds one.
WIN_IN_ONE = "1w6/2w5/2wwww2/2bb2w1/8/3w4/8/b1b2b2 w"


def answers(position: Position, dilution: int, seeds: int) -> list[Move]:
    player = Player(greedy_bot.choose, options={"Dilution": dilution})
    return [
        greedy_bot.choose(position, turn_of(Game(position, RuleSet()), player, seed=seed))
        for seed in range(seeds)
    ]


def test_fully_diluted_it_plays_any_move() -> None:
    assert set(answers(STANDARD_START, 100, 400)) == set(STANDARD_START.legal_moves())


def test_undiluted_it_plays_the_best_move_only() -> None:
    """By the symmetry of the start at most four moves are equal to any."""
    moves = set(answers(STANDARD_START, 0, 60))
    assert 2 <= len(moves) <= 4


def test_dilution_is_the_share_of_moves_left_to_chance() -> None:
    position = parse_fen(WIN_IN_ONE).position()
    undiluted = set(answers(position, 0, 40))
    others = [move for move in answers(position, 30, 400) if move not in undiluted]
    share_of_others = 1 - len(undiluted) / len(position.legal_moves())
    expected = 0.3 * share_of_others * 400
    assert 0.7 * expected < len(others) < 1.3 * expected
