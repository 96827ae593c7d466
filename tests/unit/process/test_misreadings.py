"""What is said of an illegal move: the way of reading in which it would have been legal."""

from __future__ import annotations

import pytest

from harness.play.types import Opening
from harness.process.conformance.misreadings import explain_illegal
from harness.process.conformance.positions import (
    BLACK_BLOCKED_FEN,
    BLACK_TO_MOVE_FEN,
    WHITE_BLOCKED_FEN,
    WHITE_TO_MOVE_FEN,
    after_a_pass,
    from_fen,
    long_game,
    standard,
)
from harness.rules.game import Game
from harness.rules.notation import parse_fen, parse_move, parse_start
from harness.rules.position import Position
from harness.rules.types import PASS, Color, RuleSet


def rewritten(fen: str, kind: str) -> Position:
    """Return what a bot sees that misreads a FEN, made from the text alone."""
    board, side = fen.split()
    ranks = []
    for rank in board.split("/"):
        ranks.append("".join("1" * int(mark) if mark.isdigit() else mark for mark in rank))
    match kind:
        case "upside down":
            ranks.reverse()
        case "mirrored":
            ranks = [rank[::-1] for rank in ranks]
        case "turned by half":
            ranks = [rank[::-1] for rank in reversed(ranks)]
        case "files from the top":
            # The first part is taken for file a, from its top to its bottom.
            ranks = ["".join(rank[at] for rank in ranks) for at in range(8)]
        case "files from the bottom":
            ranks = ["".join(rank[at] for rank in ranks) for at in reversed(range(8))]
        case "is to move":
            side = "w" if side == "b" else "b"
    return parse_fen(f"{'/'.join(ranks)} {side}").position()


MISREADINGS = {
    "upside down": "upside down",
    "mirrored": "mirrored",
    "turned by half": "turned by half",
    "files from the top": "ranks and files are exchanged",
    "files from the bottom": "ranks and files are exchanged",
    "is to move": "is to move",
}


@pytest.mark.parametrize("fen", [BLACK_TO_MOVE_FEN, WHITE_TO_MOVE_FEN])
@pytest.mark.parametrize("kind", ["upside down", "mirrored", "turned by half", "is to move"])
def test_no_move_of_a_misread_position_is_legal(fen: str, kind: str) -> None:
    assert not set(rewritten(fen, kind).legal_moves()) & set(parse_start(fen).legal_moves())


@pytest.mark.parametrize("fen", [BLACK_TO_MOVE_FEN, WHITE_TO_MOVE_FEN])
@pytest.mark.parametrize("kind", MISREADINGS)
def test_a_misread_fen_is_named(fen: str, kind: str) -> None:
    opening = from_fen(fen)
    moves = [
        move
        for move in rewritten(fen, kind).legal_moves()
        if opening.start.fault_of(move) is not None
    ]
    named = [MISREADINGS[kind] in explain_illegal(opening, move) for move in moves]
    # A move may be legal in two misreadings: then the first one is named.
    assert sum(named) > len(named) / 2


def test_moves_that_were_not_played_are_noticed() -> None:
    assert "without the moves" in explain_illegal(standard("b1b3", "h4f2"), parse_move("b1b3"))
    game = standard("b1b3", "h4f2", "c1c3")
    assert "before the last move" in explain_illegal(game, parse_move("b3e3"))


def test_a_pass_that_was_forgotten_is_noticed() -> None:
    assert "is to move" in explain_illegal(after_a_pass(), PASS)


def test_the_position_of_the_request_before_is_noticed() -> None:
    hint = explain_illegal(
        from_fen(WHITE_TO_MOVE_FEN), parse_move("c6c8"), from_fen(BLACK_TO_MOVE_FEN)
    )
    assert "request before" in hint


def test_without_a_misreading_the_rule_is_said() -> None:
    assert "pieces of both colours on the whole line" in explain_illegal(
        standard(), parse_move("b1b2")
    )
    assert "no other move" in explain_illegal(standard(), PASS)


def test_blocked_positions_are_blocked() -> None:
    for fen, side in ((WHITE_BLOCKED_FEN, Color.WHITE), (BLACK_BLOCKED_FEN, Color.BLACK)):
        game = Game(parse_start(fen), RuleSet())
        assert game.verdict is None
        assert game.to_move is side
        assert game.legal_moves() == [PASS]


@pytest.mark.parametrize(
    "opening",
    [
        long_game(),
        after_a_pass(),
        from_fen(BLACK_TO_MOVE_FEN, "a1a5"),
        from_fen(WHITE_TO_MOVE_FEN, "g6d3", "e2e3"),
        standard("b1b3", "h4f2", "c1c3"),
    ],
)
def test_openings_are_legal_and_open(opening: Opening) -> None:
    game = Game(opening.start, RuleSet())
    for move in opening.moves:
        assert game.play(move) is None
    assert game.legal_moves()


def test_the_long_game_is_long_and_always_the_same() -> None:
    assert len(long_game().moves) == 300
    assert long_game() == long_game()
