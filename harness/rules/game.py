"""A game: the moves so far, how often each position occurred, and the verdict of the board."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from harness.errors import IllegalMoveError
from harness.rules import board
from harness.rules.position import Position
from harness.rules.types import (
    PASS,
    Color,
    IllegalReason,
    Move,
    NoMovesRule,
    RuleSet,
    SimultaneousRule,
    Termination,
    Verdict,
)
from harness.rules.writing import move_text

_FLIP: Final = board.FLIP
_TARGET_BIT: Final = board.TARGET_BIT
_NOT_APART: Final = board.NOT_APART
_find_apart: Final = board.find_apart
_move_fault: Final = board.move_fault


class Game:
    """One game under a rule set; only ``play`` and ``push`` change it.

    After each ply the checks run in the order connection, repetition, ply limit, no legal move.
    A start is judged as if the side not to move had just moved.
    """

    __slots__ = (
        "_enemy",
        "_enemy_apart",
        "_limit",
        "_mover_of_parity",
        "_moves",
        "_occurrences",
        "_own",
        "_own_apart",
        "_pass_rule",
        "_position",
        "_repetition",
        "_rules",
        "_start",
        "_verdict",
    )

    def __init__(self, start: Position, rules: RuleSet) -> None:
        self._start = start
        self._rules = rules
        self._moves: list[Move] = []
        self._position: Position | None = start
        self._own = start.own
        self._enemy = start.enemy
        # Pieces of each side that are apart from its others: looked for when they are so no more.
        self._own_apart = _apart_at_start(self._own)
        self._enemy_apart = _apart_at_start(self._enemy)
        self._mover_of_parity = (start.to_move, start.to_move.opponent)
        self._repetition = rules.repetition
        self._limit = rules.max_plies or 0
        self._pass_rule = rules.no_moves is NoMovesRule.PASS
        # How often each pair of piece sets occurred, by ply parity, that is by side to move.
        self._occurrences: tuple[dict[int, int], dict[int, int]] = (
            {self._own << 64 | self._enemy: 1},
            {},
        )
        self._verdict: Verdict | None = None
        if self._own_apart is _NOT_APART or self._enemy_apart is _NOT_APART:
            self._verdict = self._connection()
        if self._verdict is None:
            self._verdict = self._blocked()

    @property
    def start(self) -> Position:
        """The position before the first move."""
        return self._start

    @property
    def rules(self) -> RuleSet:
        """The rules of this game."""
        return self._rules

    @property
    def moves(self) -> Sequence[Move]:
        """The moves so far, passes included: a live view, not a copy."""
        return self._moves

    @property
    def verdict(self) -> Verdict | None:
        """How the board ended the game; None while it goes on."""
        return self._verdict

    @property
    def to_move(self) -> Color:
        """The side to move."""
        return self._mover_of_parity[len(self._moves) & 1]

    @property
    def position(self) -> Position:
        """The position after all moves so far."""
        if self._position is None:
            side = self.to_move
            black, white = (self._enemy, self._own) if side else (self._own, self._enemy)
            self._position = Position(black, white, side)
        return self._position

    def legal_moves(self) -> list[Move]:
        """Return what the side to move may play: the pass alone when it is forced.

        Empty when the game is over.
        """
        if self._verdict is not None:
            return []
        return board.legal_moves(self._own, self._enemy) or [PASS]

    def fault_of(self, move: Move) -> IllegalReason | None:
        """Return why the rules refuse ``move`` in the present position, or None."""
        return board.move_fault(self._own, self._enemy, move)

    def attempt(self, move: Move) -> IllegalReason | Verdict | None:
        """Play ``move`` and return the verdict, if there is one; why not, if the rules refuse it.

        The game must not be over.
        """
        return _move_fault(self._own, self._enemy, move) or self.push(move)

    def play(self, move: Move) -> Verdict | None:
        """Play ``move`` and return the verdict, if there is one.

        Raises IllegalMoveError when the rules refuse the move or the game is over.
        """
        fault = self.fault_of(move)
        if self._verdict is None and fault is None:
            return self.push(move)
        reason = "the game is over" if fault is None or self._verdict is not None else fault.value
        text = move_text(move, capture=self.position.is_capture(move))
        raise IllegalMoveError(text, reason, str(self.position))

    def push(self, move: Move) -> Verdict | None:
        """Play a move that is known to be legal and return the verdict, if there is one."""
        mover = self._own ^ _FLIP[move]
        other = self._enemy
        captured = other & _TARGET_BIT[move]
        moves = self._moves
        moves.append(move)
        if captured:
            other ^= captured
            # A captured piece does not come back: no earlier position can occur again.
            self._occurrences = ({}, {})
        self._own = other
        self._enemy = mover
        self._position = None
        apart = self._own_apart
        group, squares = apart
        is_connected = False
        if not (mover & squares == group != mover):
            apart = _find_apart(mover, _TARGET_BIT[move])
            is_connected = apart is _NOT_APART
        # A quiet move leaves the groups of the other side as they were.
        other_apart = self._enemy_apart
        if captured:
            group, squares = other_apart
            if not (other & squares == group != other):
                other_apart = _find_apart(other, 0)
                is_connected |= other_apart is _NOT_APART
        self._own_apart = other_apart
        self._enemy_apart = apart
        if is_connected:
            self._verdict = self._connection()
            return self._verdict
        plies = len(moves)
        if self._repetition:
            occurrences = self._occurrences[plies & 1]
            key = other << 64 | mover
            count = occurrences.get(key, 0) + 1
            if count == self._repetition:
                self._verdict = Verdict(Termination.REPETITION, None)
                return self._verdict
            occurrences[key] = count
        if plies == self._limit:
            self._verdict = Verdict(Termination.MAX_PLIES, None)
        elif not self._pass_rule:
            self._verdict = self._blocked()
        return self._verdict

    def _connection(self) -> Verdict | None:
        """Return the verdict on groups; the side not to move is the one that just moved."""
        mover = self.to_move.opponent
        mover_connected = board.is_connected(self._enemy)
        other_connected = board.is_connected(self._own)
        if mover_connected and other_connected:
            mover_wins = self._rules.simultaneous is SimultaneousRule.MOVER
            return Verdict(Termination.SIMULTANEOUS_CONNECTION, mover if mover_wins else None)
        if mover_connected or other_connected:
            return Verdict(Termination.CONNECTION, mover if mover_connected else mover.opponent)
        return None

    def _blocked(self) -> Verdict | None:
        """Return the verdict on a side that cannot move; none where it passes."""
        if self._pass_rule or board.has_legal_move(self._own, self._enemy):
            return None
        lost = self._rules.no_moves is NoMovesRule.LOSS
        return Verdict(Termination.NO_MOVES, self.to_move.opponent if lost else None)


@lru_cache(maxsize=256)
def _apart_at_start(pieces: int) -> board.Apart:
    """Return what is apart at a start; most games begin like others."""
    return _find_apart(pieces, 0)
