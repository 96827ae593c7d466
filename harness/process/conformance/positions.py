"""The positions that the steps ask for."""

from __future__ import annotations

from random import Random
from typing import Final

from harness.play.types import Opening
from harness.rules.board import is_connected
from harness.rules.notation import parse_move, parse_start
from harness.rules.position import STANDARD_START
from harness.rules.types import PASS, Move

# Turned, mirrored, with the colours exchanged or the other side to move, none of these moves is
# legal in them, and none is legal in the standard start: every misreading shows.
BLACK_TO_MOVE_FEN: Final = "2w5/w3b1b1/wbb5/w5w1/4b3/8/5b2/b2b4 b"
WHITE_TO_MOVE_FEN: Final = "w7/www5/6wb/5w2/b2w2w1/3b4/3bb3/6w1 w"

WHITE_BLOCKED_FEN: Final = "3b1w1b/4b1b1/3b1b2/8/5b2/5b1b/6bw/5bbw w"
BLACK_BLOCKED_FEN: Final = "bww5/ww6/w1w5/8/8/5w1w/6ww/5wwb b"

LONG_GAME_PLIES: Final = 300


def standard(*moves: str) -> Opening:
    """Return the standard start with moves after it."""
    return Opening(STANDARD_START, tuple(map(parse_move, moves)))


def from_fen(fen: str, *moves: str) -> Opening:
    """Return a position with moves after it."""
    return Opening(parse_start(fen), tuple(map(parse_move, moves)))


def long_game(plies: int = LONG_GAME_PLIES) -> Opening:
    """Return a game of so many quiet plies, undecided after each of them; always the same one."""
    random = Random("loa-harness long game")  # noqa: S311
    position = STANDARD_START
    moves: list[Move] = []
    for _ in range(plies):
        quiet = [
            move
            for move in position.legal_moves()
            if not position.is_capture(move) and not is_connected(position.after(move).enemy)
        ]
        assert quiet, "this game has no quiet way on"
        moves.append(random.choice(quiet))
        position = position.after(moves[-1])
    return Opening(STANDARD_START, tuple(moves))


def after_a_pass() -> Opening:
    """Return a position in which White has just passed."""
    return Opening(parse_start(WHITE_BLOCKED_FEN), (PASS,))
