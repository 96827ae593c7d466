from __future__ import annotations

import pytest

from bots import alphabeta_bot
from bots.evaluation import evaluate
from harness.protocol.messages import Go, Info
from harness.rules.game import Game
from harness.rules.notation import parse_fen, parse_move
from harness.rules.position import STANDARD_START, Position
from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule
from tests.unit.bots.support import Listener, Player, turn_of

# Black connects both sides at once with d1b3, and has no other way to end the game.
BOTH_AT_ONCE = "ww6/8/8/8/8/1w6/b7/3b4 b"
# Black connects with d1c2 or b1c2.
WIN_IN_ONE = "w6w/8/8/8/8/8/8/1b1b4 b"
UNDECIDED = [
    "b3bb2/5b2/3wb3/8/1w6/3w1w2/8/8 w",
    "8/8/3w4/3w1b2/4w3/4b3/2bw4/2b3b1 b",
    "3b4/7b/b3b1b1/8/3w4/1w6/1ww5/w3w3 b",
    "bww5/ww6/w1w5/8/8/5w1w/6ww/2w3wb w",
    "8/8/3w3w/6w1/1bb2bw1/3bw3/2b5/8 w",
]


def infos(listener: Listener) -> list[Info]:
    return [message for message in listener.heard if isinstance(message, Info)]


@pytest.mark.parametrize("nodes", [1, 2, 35, 36, 37, 255, 256, 257, 1000])
def test_it_looks_at_no_more_and_no_fewer_nodes_than_it_may(nodes: int) -> None:
    turn = turn_of(Game(STANDARD_START, RuleSet()), Player(alphabeta_bot.choose))
    search = alphabeta_bot.Search(turn, nodes)
    move = search.best_move(STANDARD_START.own, STANDARD_START.enemy, 64)
    assert search.nodes == nodes
    assert move in STANDARD_START.legal_moves()


@pytest.mark.parametrize(
    ("limits", "options", "depth"),
    [
        (Go(depth=1), {}, 1),
        (Go(depth=2), {}, 2),
        (Go(), {"Depth": 2}, 2),
        (Go(depth=1), {"Depth": 2}, 1),
        (Go(depth=2), {"Depth": 1}, 1),
        (Go(), {"Nodes": 40}, 1),
        (Go(nodes=40), {"Nodes": 1000}, 1),
        (Go(nodes=1000), {"Nodes": 40}, 1),
        (Go(), {}, 3),
    ],
)
def test_the_smallest_limit_rules(limits: Go, options: dict[str, int], depth: int) -> None:
    listener = Listener()
    game = Game(STANDARD_START, RuleSet())
    player = Player(alphabeta_bot.choose, limits, options)
    alphabeta_bot.choose(game.position, turn_of(game, player, listener=listener))
    assert [info.depth for info in infos(listener)] == list(range(1, depth + 1))


def plain_search(position: Position, rules: RuleSet, depth: int, ply: int = 0) -> int:
    """The value by the rules core, without windows, table, reductions or any order."""
    if depth == 0:
        return evaluate(position.own, position.enemy)
    if not position.has_legal_move():
        passed = Position(position.black, position.white, position.to_move.opponent)
        return -plain_search(passed, rules, depth - 1, ply + 1)
    values = []
    for move in position.legal_moves():
        verdict = Game(position, rules).push(move)
        if verdict is None:
            values.append(-plain_search(position.after(move), rules, depth - 1, ply + 1))
        elif verdict.winner is None:
            values.append(0)
        else:
            won = 100_000 - ply - 1
            values.append(won if verdict.winner is position.to_move else -won)
    return max(values)


@pytest.mark.parametrize("rule", list(NoMovesRule))
@pytest.mark.parametrize("fen", UNDECIDED)
def test_it_agrees_with_a_plain_search(fen: str, rule: NoMovesRule) -> None:
    rules = RuleSet(no_moves=rule, repetition=0)
    game, listener = Game(parse_fen(fen).position(), rules), Listener()
    player = Player(alphabeta_bot.choose, Go(depth=3))  # deeper, reductions make it inexact
    alphabeta_bot.choose(game.position, turn_of(game, player, listener=listener))
    for info in infos(listener):
        assert info.depth is not None
        expected = plain_search(game.position, rules, info.depth)
        if info.score_win is None:
            assert info.score_cp == expected
        else:
            assert info.score_win == (100_000 - abs(expected)) * (1 if expected > 0 else -1)


@pytest.mark.parametrize("fen", ["b6b/8/8/w6w/8/8/8/3b4 w", "w7/7b/8/8/8/b7/7w/b7 b"])
def test_what_the_table_remembers_is_true(fen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four plies deep most boards are reached in several orders of the moves."""
    monkeypatch.setattr(alphabeta_bot, "_LEAST_REDUCED_DEPTH", 99)
    rules = RuleSet(repetition=0)
    position, listener = parse_fen(fen).position(), Listener()
    player = Player(alphabeta_bot.choose, Go(depth=4))
    turn = turn_of(Game(position, rules), player, listener=listener)
    alphabeta_bot.choose(position, turn)
    last = infos(listener)[-1]
    assert last.depth == 4
    assert last.score_cp == plain_search(position, rules, 4)


def test_the_line_that_it_tells_can_be_played() -> None:
    listener = Listener()
    game = Game(STANDARD_START, RuleSet())
    player = Player(alphabeta_bot.choose, Go(depth=4))
    best = alphabeta_bot.choose(game.position, turn_of(game, player, listener=listener))
    line = [parse_move(word) for word in infos(listener)[-1].pv]
    assert line[0] == best
    assert len(line) > 1
    for move in line:
        game.play(move)


def test_it_answers_when_it_is_told_to_stop() -> None:
    listener = Listener(looks_left=2)
    game = Game(STANDARD_START, RuleSet())
    player = Player(alphabeta_bot.choose, Go(infinite=True))
    turn = turn_of(game, player, listener=listener)
    assert alphabeta_bot.choose(game.position, turn) in STANDARD_START.legal_moves()
    # It looks every 256 nodes and was told at the third look.
    assert 0 < max(info.nodes or 0 for info in infos(listener)) <= 3 * 256


def test_cut_short_in_the_first_round_it_plays_the_best_move_seen() -> None:
    game = Game(parse_fen(WIN_IN_ONE).position(), RuleSet())
    own, enemy = game.position.own, game.position.enemy
    for seed in range(10):
        moves = {}
        for nodes in (1, len(game.legal_moves()) - 1):
            turn = turn_of(game, Player(alphabeta_bot.choose), seed=seed)
            moves[nodes] = alphabeta_bot.Search(turn, nodes).best_move(own, enemy, 64)
        assert moves.popitem()[1] in (parse_move("d1c2"), parse_move("b1c2"))


def test_a_win_is_told_with_its_distance() -> None:
    game = Game(parse_fen(WIN_IN_ONE).position(), RuleSet())
    listener = Listener()
    player = Player(alphabeta_bot.choose, Go(depth=9))
    move = alphabeta_bot.choose(game.position, turn_of(game, player, listener=listener))
    assert move in (parse_move("d1c2"), parse_move("b1c2"))
    (info,) = infos(listener)
    assert (info.score_win, info.score_cp) == (1, None)


@pytest.mark.parametrize(("rule", "is_won"), [("mover", True), ("draw", False)])
def test_connecting_both_sides_is_worth_what_the_rules_say(rule: str, is_won: bool) -> None:
    game = Game(parse_fen(BOTH_AT_ONCE).position(), RuleSet(SimultaneousRule(rule)))
    listener = Listener()
    player = Player(alphabeta_bot.choose, Go(depth=1))
    move = alphabeta_bot.choose(game.position, turn_of(game, player, listener=listener))
    assert (infos(listener)[-1].score_win == 1) == is_won
    if is_won:
        assert move == parse_move("d1b3")


def test_an_earlier_search_does_not_change_a_later_one() -> None:
    game = Game(STANDARD_START, RuleSet())
    player = Player(alphabeta_bot.choose, Go(nodes=700))
    fresh, again = Listener(), Listener()
    moves = []
    for listener in (fresh, again):
        moves.append(alphabeta_bot.choose(game.position, turn_of(game, player, listener=listener)))
        other = Game(parse_fen(WIN_IN_ONE).position(), RuleSet())
        alphabeta_bot.choose(other.position, turn_of(other, player))
    assert moves[0] == moves[1]
    pairs = [[(info.depth, info.score_cp, info.nodes, info.pv) for info in infos(listener)]
             for listener in (fresh, again)]  # fmt: skip
    assert pairs[0] == pairs[1]


def test_a_board_that_occurred_is_taken_as_a_draw() -> None:
    game = Game(STANDARD_START, RuleSet())
    for text in ("b1b3", "a2c2", "b3b1"):
        game.play(parse_move(text))
    turn = turn_of(game, Player(alphabeta_bot.choose))
    back = parse_move("c2a2")  # to the start
    values = []
    for rules in (RuleSet(), RuleSet(repetition=0)):
        other = Game(STANDARD_START, rules)
        for move in game.moves:
            other.play(move)
        turn = turn_of(other, Player(alphabeta_bot.choose))
        search = alphabeta_bot.Search(turn, None)
        own, enemy = game.position.own, game.position.enemy
        values.append(search._after(own, enemy, back, 0, -(10**6), 10**6, 0, is_first=True))
    assert values[0] == 0
    assert values[1] != 0
