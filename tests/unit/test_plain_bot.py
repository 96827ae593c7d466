from __future__ import annotations

import random

import pytest

from bots import plain_bot
from harness.rules import board as rules_board
from harness.rules.game import Game
from harness.rules.notation import format_fen, format_moves, parse_move, wire_text
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.types import RuleSet

BLOCKED = "bww5/ww6/w1w5/8/8/5w1w/6ww/5wwb b"


def games(count: int) -> list[Game]:
    chance = random.Random(5)
    found = []
    for number in range(count):
        start = (STANDARD_START, SCRAMBLED_EGGS_START)[number % 2]
        game = Game(start, RuleSet(max_plies=chance.randrange(1, 250)))
        while game.verdict is None:
            game.push(chance.choice(game.legal_moves()))
        found.append(game)
    return found


def test_moves_and_groups_are_those_of_the_rules() -> None:
    for game in games(12):
        position = game.start
        for move in game.moves:
            board, side = plain_bot.parse_fen(format_fen(position))
            texts = sorted(map(plain_bot.format_move, plain_bot.legal_moves(board, side)))
            assert texts == sorted(map(wire_text, position.legal_moves()))
            for piece, pieces in (("b", position.black), ("w", position.white)):
                assert plain_bot.count_groups(board, piece) == rules_board.count_groups(pieces)
            position = position.after(move)


@pytest.mark.parametrize("game", games(6))
def test_a_whole_game_is_followed_in_either_form(game: Game) -> None:
    fen, moves = format_fen(game.start), list(game.moves)
    for texts in (list(map(wire_text, moves)), format_moves(game.start, moves)):
        bot = plain_bot.Bot()
        bot.set_position(["fen", *fen.split(), "moves", *texts])
        assert plain_bot.parse_fen(format_fen(game.position)) == (bot.board, bot.side)


def test_it_takes_a_win_and_does_not_connect_the_enemy() -> None:
    search = plain_bot.Search(None, None, None)
    board, side = plain_bot.parse_fen("w6w/8/8/8/8/8/8/1b1b4 b")
    value, move = search.choose(board, side, random.Random(1))
    assert (value, plain_bot.format_move(move)) in [
        (plain_bot.WON, "d1c2"),
        (plain_bot.WON, "b1c2"),
    ]
    board, side = plain_bot.parse_fen("ww6/8/8/8/8/1w6/8/b2b3b b")
    _, move = search.choose(board, side, random.Random(1))
    assert plain_bot.format_move(move) != "d1b3"


def can_win_at_once(position: Position) -> bool:
    return any(
        rules_board.is_connected(after.enemy) and not rules_board.is_connected(after.own)
        for after in map(position.after, position.legal_moves())
    )


def test_it_does_not_let_the_enemy_win_where_that_can_be_helped() -> None:
    threatened = 0
    for game in games(40):
        position = game.start
        for left, move in zip(range(len(game.moves) - 1, 0, -1), game.moves, strict=False):
            position = position.after(move)
            if left > 10:
                continue
            boards = [position.after(move) for move in position.legal_moves()]
            if can_win_at_once(position) or not any(map(can_win_at_once, boards)):
                continue
            if all(map(can_win_at_once, boards)):
                continue
            threatened += 1
            board, side = plain_bot.parse_fen(format_fen(position))
            search = plain_bot.Search(None, None, None)
            _, chosen = search.choose(board, side, random.Random(1))
            answer = position.play(parse_move(plain_bot.format_move(chosen)))
            assert not can_win_at_once(answer)
    assert threatened > 30


@pytest.mark.parametrize("nodes", [0, 1, 40])
def test_a_limit_leaves_a_legal_move(nodes: int) -> None:
    board, side = plain_bot.parse_fen(plain_bot.START)
    _, move = plain_bot.Search(None, nodes, None).choose(board, side, random.Random(1))
    assert move in plain_bot.legal_moves(board, side)
    _, move = plain_bot.Search(0.0, None, None).choose(board, side, random.Random(1))
    assert move in plain_bot.legal_moves(board, side)


def test_a_blocked_side_passes() -> None:
    board, side = plain_bot.parse_fen(BLOCKED)
    assert plain_bot.legal_moves(board, side) == []
    assert plain_bot.Search(None, None, None).choose(board, side, random.Random(1))[1] == (
        plain_bot.PASS
    )


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["fen"],
        ["fen", "8/8/8/8/8/8/8", "b"],
        ["fen", "9/8/8/8/8/8/8/8", "b"],
        ["fen", "8/8/8/8/8/8/8/8", "x"],
        ["fen", "8/8/8/8/8/8/8/7٤", "b"],
        ["startpos", "moves", "b1"],
        ["startpos", "moves", "b1b1"],
        ["startpos", "moves", "b1b4"],
        ["startpos", "moves", "a2c2"],
        ["startpos", "moves", "pass"],
        ["startpos", "moves", "i9i8"],
    ],
)
def test_what_cannot_be_set_up_changes_nothing(words: list[str]) -> None:
    bot = plain_bot.Bot()
    bot.set_position(["startpos", "moves", "b1b3"])
    before = dict(vars(bot))
    with pytest.raises(ValueError, match=r"."):
        bot.set_position(words)
    assert vars(bot) == before


@pytest.mark.parametrize(
    ("limits", "side", "seconds"),
    [
        ({}, "b", None),
        ({"nodes": 5, "p2time": 1000}, "b", None),
        ({"movetime": 100}, "b", 0.08),
        ({"movetime": 1}, "b", 0.0),
        ({"p1time": 3000, "p2time": 60}, "b", 0.09),
        ({"p1time": 3000, "p2time": 60}, "w", 0.0),
        ({"wtime": 3000, "btime": 9000, "binc": 100}, "w", 0.34),
        ({"p1time": 3000, "movestogo": 1}, "b", 1.49),
        ({"p1time": 3000, "movestogo": 0, "movetime": 50}, "b", 0.03),
    ],
)
def test_time_to_think(limits: dict[str, int], side: str, seconds: float | None) -> None:
    assert plain_bot.seconds_for_move(limits, side) == (
        None if seconds is None else pytest.approx(seconds)
    )
