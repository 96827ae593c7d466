"""What every searching bot must see, judged by the rules core and not by the bots' own code."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from bots import alphabeta_bot, greedy_bot, mcts_bot
from bots.evaluation import evaluate
from harness.protocol.messages import Go
from harness.rules.game import Game
from harness.rules.notation import format_fen, parse_fen
from harness.rules.position import STANDARD_START, Position
from harness.rules.types import Move, NoMovesRule, RuleSet, SimultaneousRule, Termination, Verdict
from tests.unit.bots.support import Player, turn_of

BOTS = {
    "greedy": Player(greedy_bot.choose),
    "alphabeta": Player(alphabeta_bot.choose, Go(depth=2)),
    "mcts": Player(mcts_bot.choose, Go(nodes=400)),
}
LOOKING_AHEAD = [name for name in BOTS if name != "greedy"]

# Few of many moves win at once.
WIN_IN_ONE = [
    "b4b2/b3ww2/4w3/8/2b5/w7/2b5/3b3b w",
    "7w/3w4/8/3b4/4b2b/5bb1/1wb5/1w2wbw1 b",
    "1w3w2/2w1wb2/7b/3b4/b7/7b/b7/3b4 w",
    "8/8/8/8/4w3/b7/b2w3b/b3w3 w",
    "2b5/6b1/8/5w2/w7/wwb5/1bw5/6b1 w",
    "1w6/2w5/2wwww2/2bb2w1/8/3w4/8/b1b2b2 w",
    "b2b4/5b2/5w2/4w3/3b4/3w4/b7/8 w",
    "5w2/4w1bw/3w4/3b4/8/8/1w5w/7w b",
]
# No move wins, and most let the opponent win at once.
THREATENED = [
    "b3bb2/5b2/3wb3/8/1w6/3w1w2/8/8 w",
    "8/8/3w4/3w1b2/4w3/4b3/2bw4/2b3b1 b",
    "2b1b3/4b3/1w1ww3/1wwbw3/8/b1b3b1/b5bb/6wb b",
    "3b4/7b/b3b1b1/8/3w4/1w6/1ww5/w3w3 b",
    "b5wb/2ww2w1/1b2w3/4w3/6bb/8/2b5/1b3b2 b",
    "7b/6b1/8/b4b2/2b5/2b5/1w3ww1/b4w2 b",
]
# The move that looks best to the evaluation connects the opponent.
SUICIDAL = [
    "b7/2w5/2bw4/6b1/5w1b/3b4/8/4b3 b",
    "1b6/3b4/8/1b2w1b1/4b3/6w1/7w/1b4bb b",
    "8/4w3/bb3w2/4b3/1bbw4/3b4/8/6b1 b",
]
# No move wins for the mover alone, some connect both sides at once.
BOTH_AT_ONCE = [
    "8/8/3w3w/6w1/1bb2bw1/3bw3/2b5/8 w",
    "3bbb2/w2b4/8/2w1w3/3bww2/8/8/8 w",
    "8/4b1b1/4wb2/5b2/2b5/2wwww2/8/8 w",
    "8/8/4b3/4b3/1wwbw3/1ww2b2/8/7b b",
]
# No move connects, some leave the opponent without an answer.
BLOCKING = [
    "bww5/ww6/w1w5/8/8/5w1w/6ww/2w3wb w",
    "bww5/ww6/w1w5/8/8/3w1w1w/6ww/6wb w",
    "bww5/ww6/w1w5/8/8/5w1w/6ww/3w1w1b w",
    "bww5/ww6/w1w5/8/6w1/5w1w/7w/5wwb w",
]


def position_of(fen: str) -> Position:
    return parse_fen(fen).position()


def answer(bot: str, position: Position, rules: RuleSet | None = None, seed: int = 1) -> Move:
    player = BOTS[bot]
    turn = turn_of(Game(position, rules or RuleSet()), player, seed=seed)
    return player.choose(position, turn)


def verdicts(position: Position, rules: RuleSet | None = None) -> dict[Move, Verdict | None]:
    rules = rules or RuleSet()
    return {move: Game(position, rules).push(move) for move in position.legal_moves()}


def winners(position: Position, rules: RuleSet | None = None) -> set[Move]:
    """The moves that win at once."""
    return {
        move
        for move, verdict in verdicts(position, rules).items()
        if verdict is not None and verdict.winner is position.to_move
    }


def positions_of_random_games(count: int, seed: int) -> Iterator[Position]:
    """Undecided positions with a move."""
    chance = random.Random(seed)
    while count:
        game = Game(STANDARD_START, RuleSet())
        for _ in range(chance.randrange(2, 120)):
            if game.verdict is None:
                game.push(chance.choice(game.legal_moves()))
        if game.verdict is None and game.position.has_legal_move():
            count -= 1
            yield game.position


@pytest.mark.parametrize("fen", WIN_IN_ONE)
@pytest.mark.parametrize("bot", BOTS)
def test_a_win_in_one_is_taken(bot: str, fen: str) -> None:
    position = position_of(fen)
    wins = winners(position)
    assert 0 < len(wins) < len(position.legal_moves()) / 3
    assert answer(bot, position) in wins


@pytest.mark.parametrize("fen", THREATENED)
@pytest.mark.parametrize("bot", LOOKING_AHEAD)
def test_a_loss_in_one_is_avoided(bot: str, fen: str) -> None:
    position = position_of(fen)
    safe = {
        move
        for move, verdict in verdicts(position).items()
        if verdict is None and not winners(position.after(move))
    }
    assert 0 < len(safe) < len(position.legal_moves()) / 3
    assert answer(bot, position) in safe


@pytest.mark.parametrize("bot", BOTS)
def test_every_answer_is_legal_and_the_same_again(bot: str) -> None:
    for position in positions_of_random_games(12, 7):
        move = answer(bot, position)
        assert move in position.legal_moves(), format_fen(position)
        assert answer(bot, position) == move, format_fen(position)


@pytest.mark.parametrize("fen", SUICIDAL)
@pytest.mark.parametrize("bot", BOTS)
def test_the_opponent_is_not_connected(bot: str, fen: str) -> None:
    position = position_of(fen)
    lost = {
        move
        for move, verdict in verdicts(position).items()
        if verdict is not None and verdict.winner is position.to_move.opponent
    }
    looks_best = max(
        position.legal_moves(),
        key=lambda move: -evaluate(position.after(move).own, position.after(move).enemy),
    )
    assert looks_best in lost
    for seed in range(3):
        assert answer(bot, position, seed=seed) not in lost


@pytest.mark.parametrize("fen", BOTH_AT_ONCE)
@pytest.mark.parametrize("bot", BOTS)
def test_connecting_both_sides_wins_if_the_rules_say_so(bot: str, fen: str) -> None:
    position = position_of(fen)
    rules = RuleSet(SimultaneousRule.MOVER)
    both = {
        move
        for move, verdict in verdicts(position, rules).items()
        if verdict is not None and verdict.termination is Termination.SIMULTANEOUS_CONNECTION
    }
    assert both == winners(position, rules)
    assert not winners(position)
    assert answer(bot, position, rules) in both


@pytest.mark.parametrize("fen", BLOCKING)
@pytest.mark.parametrize("bot", BOTS)
def test_a_blocked_opponent_has_lost_if_the_rules_say_so(bot: str, fen: str) -> None:
    position = position_of(fen)
    rules = RuleSet(no_moves=NoMovesRule.LOSS)
    assert winners(position, rules)
    assert not winners(position)
    assert answer(bot, position, rules) in winners(position, rules)


@pytest.mark.parametrize("rule", list(NoMovesRule))
@pytest.mark.parametrize("fen", BLOCKING)
@pytest.mark.parametrize("bot", LOOKING_AHEAD)
def test_a_position_with_passes_in_it_can_be_searched(
    bot: str, fen: str, rule: NoMovesRule
) -> None:
    position = position_of(fen)
    assert answer(bot, position, RuleSet(no_moves=rule)) in position.legal_moves()
