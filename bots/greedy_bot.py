"""Plays the move with the best position after it; with Dilution some moves are left to chance."""

from __future__ import annotations

from bots.evaluation import evaluate
from bots.outcome import Ending
from harness import botkit
from harness.protocol.messages import OptionOffer, OptionType
from harness.rules.board import apply_move
from harness.rules.position import Position
from harness.rules.types import Move

DILUTION = OptionOffer("Dilution", OptionType.SPIN, "0", 0, 100)


def choose(position: Position, turn: botkit.Turn) -> Move:
    """Return the best move one ply deep; equal ones are decided by chance."""
    moves = position.legal_moves()
    dilution = turn.options["Dilution"]
    if turn.random.random() * 100 < int(dilution):
        return moves[int(turn.random.random() * len(moves))]
    ending = Ending(turn.game.rules)
    best: list[Move] = []
    best_value = 0
    for move in moves:
        own, enemy = apply_move(position.own, position.enemy, move)
        value = ending.after(own, enemy, position.enemy, move)
        if value is None:
            value = -evaluate(enemy, own)
        if not best or value > best_value:
            best, best_value = [move], value
        elif value == best_value:
            best.append(move)
    return best[int(turn.random.random() * len(best))]


if __name__ == "__main__":
    botkit.run(choose, name="greedy", author="loa-harness", options=[DILUTION])
