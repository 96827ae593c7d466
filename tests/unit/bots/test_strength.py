"""Matches with fixed seeds: the same games every time, so the bounds cannot fail by chance."""

from __future__ import annotations

import pytest

from bots import alphabeta_bot, greedy_bot, mcts_bot, random_bot
from harness.protocol.messages import Go
from tests.unit.bots.support import Player, match_score

RANDOM = Player(random_bot.choose)
GREEDY = Player(greedy_bot.choose)
DILUTED = Player(greedy_bot.choose, options={"Dilution": 50})
DEPTH_2 = Player(alphabeta_bot.choose, Go(depth=2))
DEPTH_4 = Player(alphabeta_bot.choose, Go(depth=4))


def test_greedy_beats_random() -> None:
    assert match_score(GREEDY, RANDOM, pairs=5) >= 9.5


def test_diluted_greedy_stands_between() -> None:
    assert match_score(DILUTED, RANDOM, pairs=5) >= 7
    assert match_score(GREEDY, DILUTED, pairs=5) >= 7


def test_two_plies_beat_one() -> None:
    assert match_score(DEPTH_2, GREEDY, pairs=6) >= 9


def test_simulations_beat_random() -> None:
    assert match_score(Player(mcts_bot.choose, Go(nodes=100)), RANDOM, pairs=4) >= 7.5


@pytest.mark.slow
def test_four_plies_beat_two() -> None:
    assert match_score(DEPTH_4, DEPTH_2, pairs=5) >= 8


@pytest.mark.slow
def test_500_simulations_are_no_worse_than_greedy() -> None:
    assert match_score(Player(mcts_bot.choose, Go(nodes=500)), GREEDY, pairs=12) >= 0.45 * 24
