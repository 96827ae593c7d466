"""Plays a legal move by chance: the bottom of every scale."""

from harness import botkit
from harness.rules.position import Position
from harness.rules.types import Move


def choose(position: Position, turn: botkit.Turn) -> Move:
    """Return any legal move, each equally likely."""
    moves = position.legal_moves()
    return moves[int(turn.random.random() * len(moves))]


if __name__ == "__main__":
    botkit.run(choose, name="random", author="loa-harness")
