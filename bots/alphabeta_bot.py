"""Looks ahead: principal variation search with iterative deepening.

Reproducible at fixed depth or nodes: nothing is kept from one move to the next.
"""

from __future__ import annotations

import time
from typing import Final

from bots.evaluation import evaluate
from bots.outcome import WIN, WIN_BOUND, Ending
from harness import botkit
from harness.protocol.messages import Info, OptionOffer, OptionType
from harness.rules.board import TARGET_BIT, apply_move, legal_moves
from harness.rules.notation import wire_text
from harness.rules.position import Position
from harness.rules.types import Move

OPTIONS = (
    OptionOffer("Depth", OptionType.SPIN, "0", 0, 64),
    OptionOffer("Nodes", OptionType.SPIN, "0", 0, 10**12),
)
_MAX_DEPTH: Final = 64
_USUAL_DEPTH: Final = 3
_NODES_A_LOOK: Final = 256
_TABLE_ENTRIES: Final = 1 << 19
_LEAST_REDUCED_DEPTH: Final = 3
_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2

# How much nearer to the middle a move leads, for the order in which moves are tried.
_MIDDLE: Final = tuple(
    min(square % 8, 7 - square % 8) + min(square // 8, 7 - square // 8) for square in range(64)
)
_APPROACH: Final = tuple(_MIDDLE[move & 63] - _MIDDLE[move >> 6] for move in range(4096))

_Entry = tuple[int, int, int, Move | None]
"""Depth, value, kind of bound, best move."""


class _OutOfBudget(Exception):  # noqa: N818 - ends the search, no error
    """Time or nodes are used up."""


class Search:
    """One search from one position."""

    def __init__(self, turn: botkit.Turn, node_limit: int | None) -> None:
        """Take the game so far; ``node_limit`` None means no limit."""
        self.nodes = 0
        self._turn = turn
        self._node_limit = node_limit
        self._ending = Ending(turn.game.rules)
        self._table: dict[tuple[int, int], _Entry] = {}
        self._history = [0] * 4096
        self._killers: list[list[Move]] = [[] for _ in range(2 * _MAX_DEPTH + 2)]
        # Boards that occurred, seen by the side to move: coming back to one is taken as a draw.
        self._path = _boards_so_far(turn) if turn.game.rules.repetition else set()
        self._uses_path = bool(turn.game.rules.repetition)
        self._partial: Move | None = None

    def best_move(self, own: int, enemy: int, max_depth: int) -> Move:
        """Deepen until depth, nodes or time are used up; returns the best move found."""
        moves = legal_moves(own, enemy)
        _shuffle(moves, self._turn)
        best = moves[0]
        if self._uses_path:
            self._path.add((own, enemy))
        for depth in range(1, max_depth + 1):
            try:
                value, best = self._root(own, enemy, moves, depth)
            except _OutOfBudget:
                return self._partial or best
            self._report(depth, value, self._line(own, enemy, best, depth))
            if abs(value) > WIN_BOUND or len(moves) == 1:
                break
            moves.remove(best)
            moves.insert(0, best)
        return best

    def _root(self, own: int, enemy: int, moves: list[Move], depth: int) -> tuple[int, Move]:
        alpha, best = -WIN - 1, moves[0]
        self._partial = None
        for place, move in enumerate(moves):
            value = self._after(own, enemy, move, depth - 1, -WIN, -alpha, 0, is_first=place == 0)
            if value > alpha:
                alpha, best = value, move
                self._partial = best
        return alpha, best

    def _after(
        self,
        own: int,
        enemy: int,
        move: Move,
        depth: int,
        low: int,
        high: int,
        ply: int,
        *,
        is_first: bool,
        reduction: int = 0,
    ) -> int:
        """Return the value of a move to its mover; the window is that of the opponent."""
        self._count()
        mover, other = apply_move(own, enemy, move)
        ended = self._ending.after(mover, other, enemy, move)
        if ended is not None:
            return ended - (ply + 1) if ended > 0 else ended + (ply + 1) if ended < 0 else 0
        if self._uses_path and (other, mover) in self._path:
            return 0
        if is_first:
            return -self._search(other, mover, depth, low, high, ply + 1)
        # All but the first move have to prove, with no window, that they are better at all.
        value = -self._search(other, mover, depth - reduction, high - 1, high, ply + 1)
        if value > -high and reduction:
            value = -self._search(other, mover, depth, high - 1, high, ply + 1)
        if -high < value < -low:
            value = -self._search(other, mover, depth, low, high, ply + 1)
        return value

    def _search(self, own: int, enemy: int, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the value for the side to move, at least or at most what the window tells."""
        if depth <= 0 or ply >= 2 * _MAX_DEPTH:
            return evaluate(own, enemy)
        key = (own, enemy)
        entry = self._table.get(key)
        table_move: Move | None = None
        if entry is not None:
            entry_depth, value, kind, table_move = entry
            if entry_depth >= depth and abs(value) < WIN_BOUND:
                if kind == _EXACT:
                    return value
                if (kind == _AT_LEAST and value >= beta) or (kind == _AT_MOST and value <= alpha):
                    return value
        moves = legal_moves(own, enemy)
        if not moves:
            return self._pass(own, enemy, depth, alpha, beta, ply)
        self._order(moves, enemy, table_move, ply)
        best_value, best_move, alpha_before = -WIN - 1, moves[0], alpha
        self._path.add(key)
        try:
            for place, move in enumerate(moves):
                reduction = 0
                if depth >= _LEAST_REDUCED_DEPTH and place >= 4 and not enemy & TARGET_BIT[move]:
                    reduction = 2 if depth >= 4 and place >= 8 else 1
                value = self._after(
                    own, enemy, move, depth - 1, -beta, -alpha, ply,
                    is_first=place == 0, reduction=reduction,
                )  # fmt: skip
                if value > best_value:
                    best_value, best_move = value, move
                    alpha = max(alpha, value)
                    if value >= beta:
                        self._reward(move, enemy, depth, ply)
                        break
        finally:
            self._path.discard(key)
        kind = _AT_LEAST if best_value >= beta else _EXACT
        if best_value <= alpha_before:
            kind = _AT_MOST
        if len(self._table) < _TABLE_ENTRIES or key in self._table:
            self._table[key] = (depth, best_value, kind, best_move)
        return best_value

    def _pass(self, own: int, enemy: int, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the value of having no move: the other rules end the game before this one."""
        self._count()
        if (enemy, own) in self._path:
            return 0
        return -self._search(enemy, own, depth - 1, -beta, -alpha, ply + 1)

    def _order(self, moves: list[Move], enemy: int, table_move: Move | None, ply: int) -> None:
        history = self._history
        killers = self._killers[ply]

        def promise(move: Move) -> int:
            if move == table_move:
                return 1 << 60
            if move in killers:
                return 1 << 50
            capture = 40 if enemy & TARGET_BIT[move] else 0
            return (history[move] << 4) + 10 * _APPROACH[move] + capture

        moves.sort(key=promise, reverse=True)

    def _reward(self, move: Move, enemy: int, depth: int, ply: int) -> None:
        if enemy & TARGET_BIT[move]:
            return
        self._history[move] += depth * depth
        killers = self._killers[ply]
        if move not in killers:
            killers.insert(0, move)
            del killers[2:]

    def _count(self) -> None:
        if self._node_limit is not None and self.nodes >= self._node_limit:
            raise _OutOfBudget
        self.nodes += 1
        if self.nodes % _NODES_A_LOOK == 0 and self._turn.should_stop():
            raise _OutOfBudget

    def _line(self, own: int, enemy: int, best: Move, depth: int) -> list[Move]:
        """Return the play that is expected, as far as the table remembers it."""
        line = [best]
        while len(line) < depth:
            mover, other = apply_move(own, enemy, line[-1])
            own, enemy = other, mover
            _, _, kind, move = self._table.get((own, enemy), (0, 0, _AT_MOST, None))
            if kind == _AT_MOST or move is None:
                break
            line.append(move)
        return line

    def _report(self, depth: int, value: int, line: list[Move]) -> None:
        elapsed_ns = max(1, time.monotonic_ns() - self._turn.started_ns)
        is_forced = abs(value) > WIN_BOUND
        plies = WIN - abs(value)
        self._turn.report(
            Info(
                depth=depth,
                score_cp=None if is_forced else value,
                score_win=(plies if value > 0 else -plies) if is_forced else None,
                nodes=self.nodes,
                nodes_per_second=self.nodes * 1_000_000_000 // elapsed_ns,
                time_ms=elapsed_ns // 1_000_000,
                pv=tuple(map(wire_text, line)),
            )
        )


def choose(position: Position, turn: botkit.Turn) -> Move:
    """Return the best move that the limits of the request and the options allow to find."""
    limits = turn.limits
    depths = [value for value in (limits.depth, int(turn.options["Depth"])) if value]
    nodes = [value for value in (limits.nodes, int(turn.options["Nodes"])) if value]
    max_depth = min(depths, default=_MAX_DEPTH)
    if not depths and not nodes and turn.deadline_ns is None and not limits.infinite:
        max_depth = _USUAL_DEPTH
    search = Search(turn, min(nodes, default=None))
    move = search.best_move(position.own, position.enemy, min(max_depth, _MAX_DEPTH))
    while limits.infinite and not turn.should_stop():
        time.sleep(0.005)
    return move


def _boards_so_far(turn: botkit.Turn) -> set[tuple[int, int]]:
    """Return the boards since the last capture, as the side to move saw them."""
    boards: set[tuple[int, int]] = set()
    position = turn.game.start
    for move in turn.game.moves:
        if position.is_capture(move):
            boards.clear()
        else:
            boards.add((position.own, position.enemy))
        position = position.after(move)
    return boards


def _shuffle(moves: list[Move], turn: botkit.Turn) -> None:
    """Bring moves into an order of chance, so that equal ones are not always decided alike."""
    order = {move: turn.random.random() for move in moves}
    moves.sort(key=order.__getitem__)


if __name__ == "__main__":
    botkit.run(choose, name="alphabeta", author="loa-harness", options=OPTIONS)
