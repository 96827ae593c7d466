"""Monte Carlo tree search: grows a tree where play looks best, judges its leaves by evaluation.

Random play to the end says next to nothing in this game, so a leaf is judged after at most two
random plies (see Winands and others, "Monte Carlo tree search in Lines of Action", 2010, for the
evaluation cut-off and the solver). Reproducible at fixed simulations.
"""

from __future__ import annotations

import math
import time
from random import Random
from typing import Final

from bots.evaluation import evaluate
from bots.outcome import Ending
from harness import botkit
from harness.protocol.messages import Info, OptionOffer, OptionType
from harness.rules.board import apply_move, legal_moves
from harness.rules.notation import wire_text
from harness.rules.position import Position
from harness.rules.types import PASS, Move, RuleSet

SIMULATIONS = OptionOffer("Simulations", OptionType.SPIN, "500", 0, 10**9)

_EXPLORATION: Final = 0.7
_SCALE: Final = 120.0
_RANDOM_PLIES: Final = 2
_MAX_NODES: Final = 500_000
_SIMULATIONS_A_LOOK: Final = 16
_WON, _LOST = 1.0, 0.0


class _Node:
    """A position, seen by its side to move; values are those of the move that led here."""

    __slots__ = ("children", "enemy", "move", "own", "proven", "value_sum", "visits")

    def __init__(self, own: int, enemy: int, move: Move, proven: float | None) -> None:
        self.own = own
        self.enemy = enemy
        self.move = move
        self.proven = proven
        self.visits = 0
        self.value_sum = 0.0
        self.children: list[_Node] | None = None


class Tree:
    """The tree of one search. ``nodes`` counts the positions in it."""

    def __init__(self, own: int, enemy: int, rules: RuleSet, chance: Random) -> None:
        """Begin with the position of the side to move, whose pieces ``own`` are."""
        self.root = _Node(own, enemy, PASS, None)
        self.nodes = 1
        self._ending = Ending(rules)
        self._chance = chance
        self._expand(self.root)

    def simulate(self) -> None:
        """Walk down to a leaf, judge it, and carry the value back up."""
        path = [self.root]
        node = self.root
        while node.proven is None:
            if node.children is None:
                if node.visits == 0 or self.nodes >= _MAX_NODES:
                    break
                self._expand(node)
            if not node.children:
                break
            node = self._select(node)
            path.append(node)
        value = self._judge(node) if node.proven is None else node.proven
        for visited in reversed(path):
            visited.visits += 1
            visited.value_sum += value
            value = 1.0 - value
            if visited.children and visited.proven is None:
                visited.proven = _solve(visited)

    def best(self) -> _Node:
        """Return the child to play: a proven win, else the one visited most that is not lost."""
        children = self.root.children
        assert children
        return max(children, key=_worth)

    def _expand(self, node: _Node) -> None:
        node.children = []
        for move in legal_moves(node.own, node.enemy) or [PASS]:
            mover, other = apply_move(node.own, node.enemy, move)
            ended = self._ending.after(mover, other, node.enemy, move)
            proven = None if ended is None else _WON if ended > 0 else _LOST if ended < 0 else 0.5
            node.children.append(_Node(other, mover, move, proven))
            if proven == _WON:
                break  # nothing better can follow
        self.nodes += len(node.children)
        node.proven = _solve(node)

    def _select(self, node: _Node) -> _Node:
        """Return the child with the best bound of its value; new ones first, by their promise."""
        assert node.children
        log_visits = math.log(node.visits + 1)
        best, best_bound = node.children[0], -1.0
        for child in node.children:
            if child.proven is not None:
                bound = child.proven - (0.0 if child.proven > 0 else 1.0)
            elif child.visits == 0:
                bound = 10.0 + self._chance.random()
            else:
                mean = child.value_sum / child.visits
                bound = mean + _EXPLORATION * math.sqrt(log_visits / child.visits)
            if bound > best_bound:
                best, best_bound = child, bound
        return best

    def _judge(self, node: _Node) -> float:
        """Return the chance of a win for the side that moved to the node."""
        own, enemy, is_mover_to_move = node.own, node.enemy, False
        for _ in range(_RANDOM_PLIES):
            moves = legal_moves(own, enemy)
            if not moves:
                break
            move = moves[int(self._chance.random() * len(moves))]
            mover, other = apply_move(own, enemy, move)
            ended = self._ending.after(mover, other, enemy, move)
            if ended is not None:
                value = _WON if ended > 0 else _LOST if ended < 0 else 0.5
                return value if is_mover_to_move else 1.0 - value
            own, enemy, is_mover_to_move = other, mover, not is_mover_to_move
        value = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, evaluate(own, enemy) / _SCALE))))
        return value if is_mover_to_move else 1.0 - value


def choose(position: Position, turn: botkit.Turn) -> Move:
    """Return the move of the most promising child of the root."""
    tree = Tree(position.own, position.enemy, turn.game.rules, turn.random)
    limits = [count for count in (turn.limits.nodes, int(turn.options["Simulations"])) if count]
    if turn.limits.infinite:
        limits = []
    elif not limits and turn.deadline_ns is None:
        limits = [int(SIMULATIONS.default)]
    limit = min(limits, default=None)
    done = 0
    while tree.root.proven is None and (limit is None or done < limit):
        if done % _SIMULATIONS_A_LOOK == 0 and done and turn.should_stop():
            break
        tree.simulate()
        done += 1
    best = tree.best()
    _report(turn, tree, best, done)
    while turn.limits.infinite and not turn.should_stop():
        time.sleep(0.005)
    return best.move


def _solve(node: _Node) -> float | None:
    """Return the proven value of the move that led to the node; None while it is open.

    One winning answer refutes it; otherwise all answers must be proven.
    """
    assert node.children
    values = [child.proven for child in node.children]
    if _WON in values:
        return _LOST
    known = [value for value in values if value is not None]
    return 1.0 - max(known) if len(known) == len(values) else None


def _worth(child: _Node) -> tuple[float, int, float]:
    mean = child.value_sum / child.visits if child.visits else 0.0
    if child.proven is not None:
        # Proven draws compete by their value with what looks better or worse.
        return (2.0 if child.proven == _WON else -1.0 if child.proven == _LOST else 0.0,
                child.visits, child.proven)  # fmt: skip
    return (0.0, child.visits, mean)


def _report(turn: botkit.Turn, tree: Tree, best: _Node, simulations: int) -> None:
    elapsed_ns = max(1, time.monotonic_ns() - turn.started_ns)
    mean = best.value_sum / best.visits if best.visits else 0.5
    mean = min(max(best.proven if best.proven is not None else mean, 0.001), 0.999)
    turn.report(
        Info(
            score_cp=round(_SCALE * math.log(mean / (1 - mean))),
            nodes=simulations,
            time_ms=elapsed_ns // 1_000_000,
            pv=(wire_text(best.move),),
            text=f"tree of {tree.nodes} positions",
        )
    )


if __name__ == "__main__":
    botkit.run(choose, name="mcts", author="loa-harness", options=[SIMULATIONS])
