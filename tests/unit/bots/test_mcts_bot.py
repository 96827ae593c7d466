from __future__ import annotations

import random

import pytest

from bots import mcts_bot
from bots.mcts_bot import Tree
from harness.protocol.messages import Go, Info
from harness.rules.game import Game
from harness.rules.notation import parse_fen, parse_move
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet, SimultaneousRule
from tests.unit.bots.support import Listener, Player, turn_of

BOTH_AT_ONCE = "ww6/8/8/8/8/1w6/b7/3b4 b"
WIN_IN_ONE = "w6w/8/8/8/8/8/8/1b1b4 b"


@pytest.mark.parametrize(
    ("limits", "options", "simulations"),
    [
        (Go(nodes=1), {}, 1),
        (Go(nodes=37), {}, 37),
        (Go(), {"Simulations": 20}, 20),
        (Go(nodes=20), {"Simulations": 30}, 20),
        (Go(nodes=30), {"Simulations": 20}, 20),
        (Go(), {}, 500),
    ],
)
def test_it_makes_as_many_simulations_as_it_may(
    limits: Go, options: dict[str, int], simulations: int
) -> None:
    game, listener = Game(STANDARD_START, RuleSet()), Listener()
    player = Player(mcts_bot.choose, limits, options)
    move = mcts_bot.choose(game.position, turn_of(game, player, listener=listener))
    assert move in STANDARD_START.legal_moves()
    (info,) = listener.heard
    assert isinstance(info, Info)
    assert info.nodes == simulations


def test_every_simulation_is_counted_at_the_root_and_below() -> None:
    tree = Tree(STANDARD_START.own, STANDARD_START.enemy, RuleSet(), random.Random(1))
    for _ in range(200):
        tree.simulate()
    assert tree.root.visits == 200
    assert tree.root.children is not None
    assert sum(child.visits for child in tree.root.children) == 200
    assert all(0 <= child.value_sum <= child.visits for child in tree.root.children)
    # What is good for the side to move is bad for the one that moved before.
    children_sum = sum(child.value_sum for child in tree.root.children)
    assert tree.root.value_sum == pytest.approx(200 - children_sum)
    assert tree.root.proven is None


def test_a_win_in_one_is_proven_without_a_simulation() -> None:
    position = parse_fen(WIN_IN_ONE).position()
    tree = Tree(position.own, position.enemy, RuleSet(), random.Random(1))
    assert tree.root.proven == 0.0  # lost for the side that moved before
    assert tree.best().move in (parse_move("d1c2"), parse_move("b1c2"))


@pytest.mark.parametrize(("rule", "is_won"), [("mover", True), ("draw", False)])
def test_connecting_both_sides_is_worth_what_the_rules_say(rule: str, is_won: bool) -> None:
    position = parse_fen(BOTH_AT_ONCE).position()
    tree = Tree(position.own, position.enemy, RuleSet(SimultaneousRule(rule)), random.Random(1))
    assert (tree.root.proven == 0.0) == is_won
    assert tree.root.children is not None
    proven = {child.move: child.proven for child in tree.root.children}
    assert proven[parse_move("d1b3")] == (1.0 if is_won else 0.5)


def test_the_seed_decides_the_simulations() -> None:
    game, heard = Game(STANDARD_START, RuleSet()), []
    for seed in (1, 1, 2, 3, 4):
        listener = Listener()
        turn = turn_of(game, Player(mcts_bot.choose, Go(nodes=60)), seed=seed, listener=listener)
        mcts_bot.choose(game.position, turn)
        (info,) = listener.heard
        assert isinstance(info, Info)
        heard.append((info.pv, info.score_cp))
    assert heard[0] == heard[1]
    assert len(set(heard)) > 2
