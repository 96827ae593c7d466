"""Counts of move sequences, the standard test of a move generator.

A board on which a side is connected has no children; a blocked side has one, the pass.
Repetition, ply limits and the simultaneous rule play no part.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.rules import board
from harness.rules.position import Position
from harness.rules.types import PASS


class PerftLeaves(NamedTuple):
    """The sequences of one length, and those that end in a capture or a connection."""

    nodes: int = 0
    captures: int = 0
    black_connected: int = 0
    white_connected: int = 0
    both_connected: int = 0


def perft(position: Position, depth: int) -> int:
    """Return the number of move sequences of exactly ``depth`` plies."""
    if depth < 1:
        return 1
    if board.is_connected(position.own) or board.is_connected(position.enemy):
        return 0
    return _count(position.own, position.enemy, depth)


def _count(own: int, enemy: int, depth: int) -> int:
    """Count below a board of which neither side is connected, the last ply in bulk."""
    if depth == 1:
        return board.count_moves(own, enemy) or 1
    is_connected, apply_move = board.is_connected, board.apply_move
    nodes = 0
    for move in board.legal_moves(own, enemy) or (PASS,):
        mover, other = apply_move(own, enemy, move)
        # Only a capture changes the groups of the other side.
        if not is_connected(mover) and (other == enemy or not is_connected(other)):
            nodes += _count(other, mover, depth - 1)
    return nodes


def perft_leaves(position: Position, depth: int) -> PerftLeaves:
    """Return what the sequences of exactly ``depth`` plies, at least one, end in.

    Every leaf is visited: slow against ``perft``.
    """
    if depth < 1:
        raise ValueError(f"leaves need at least one ply, not {depth}")
    if board.is_connected(position.own) or board.is_connected(position.enemy):
        return PerftLeaves()
    nodes = captures = black = white = both = 0
    for move in position.legal_moves() or (PASS,):
        child = position.after(move)
        if depth > 1:
            below = perft_leaves(child, depth - 1)
            nodes += below.nodes
            captures += below.captures
            black += below.black_connected
            white += below.white_connected
            both += below.both_connected
            continue
        black_connected = board.is_connected(child.black)
        white_connected = board.is_connected(child.white)
        nodes += 1
        captures += position.is_capture(move)
        both += black_connected and white_connected
        black += black_connected and not white_connected
        white += white_connected and not black_connected
    return PerftLeaves(nodes, captures, black, white, both)
