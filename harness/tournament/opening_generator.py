"""Openings made by random plies from a start: one list a seed, a longer one continues it."""

from __future__ import annotations

from random import Random
from typing import Final

from harness.errors import Problem, SpecError
from harness.play.types import Opening
from harness.rules import board
from harness.rules.game import Game
from harness.rules.position import Position
from harness.rules.types import Move, RuleSet
from harness.tournament.symmetry import symmetry_key

GENERATOR_VERSION: Final = 1
"""Raised whenever the same seed gives another list: stored tournaments depend on it."""

MAX_OPENINGS: Final = 10_000
MAX_RANDOM_PLIES: Final = 60

_TRIES: Final = 2_000
"""So many candidates in a row without a new opening end the list."""

_MATERIAL_TOLERANCE: Final = 1
_SPREAD_TOLERANCE: Final = 1.5


class OpeningGenerator:
    """Finds openings one after the other; ``exhausted`` when no more are found.

    An opening has ``random_plies`` plies from ``start``, none a pass, is undecided, leaves the
    side to move a move and neither side a win in one, is as balanced as the start up to one
    piece and a bounded difference of the sides' spreads, and no symmetry joins the position
    that it reaches with that of an earlier one. ``most`` openings end the list.
    """

    def __init__(
        self,
        start: Position,
        random_plies: int,
        rules: RuleSet,
        seed: int,
        most: int = MAX_OPENINGS,
    ) -> None:
        self._most = most
        self.found: list[Opening] = []
        self.exhausted = False
        self._start = start
        self._random_plies = random_plies
        self._rules = rules
        self._random = Random(f"loa-harness openings {seed}")  # noqa: S311
        self._seen: set[tuple[int, int, int]] = set()
        self._start_balance = _balance(start)

    def extend(self, count: int) -> None:
        """Find openings until there are ``count`` or the list is exhausted."""
        while len(self.found) < count and not self.exhausted:
            opening = self._next()
            if opening is None:
                self.exhausted = True
            else:
                self.found.append(opening)
                self.exhausted = self._random_plies == 0 or len(self.found) >= self._most

    def first(self) -> None:
        """Find one opening; SpecError when the start allows none."""
        self.extend(1)
        if not self.found:
            why = (
                f"{self._random_plies} random plies from this start give no opening that is "
                "undecided and balanced; take another number, another start, or a file of openings"
            )
            raise SpecError("openings", [Problem("random-plies", why)])

    def _next(self) -> Opening | None:
        if self._random_plies == 0:
            decided = Game(self._start, self._rules).verdict is not None
            return None if decided else Opening(self._start)
        for _ in range(_TRIES):
            candidate = self._candidate()
            if candidate is None:
                continue
            moves, position = candidate
            key = symmetry_key(position)
            if key in self._seen:
                continue
            self._seen.add(key)
            if self._is_fair(moves, position):
                return Opening(self._start, moves)
        return None

    def _candidate(self) -> tuple[tuple[Move, ...], Position] | None:
        """Return random moves and what they lead to; None when the way there ends a game."""
        position, moves = self._start, []
        for _ in range(self._random_plies):
            legal = position.legal_moves()
            if not legal:
                return None
            legal.sort()
            # random() is the one method whose values are promised for all versions of Python.
            move = legal[int(self._random.random() * len(legal))]
            moves.append(move)
            position = position.after(move)
            if board.is_connected(position.black) or board.is_connected(position.white):
                return None
        return tuple(moves), position

    def _is_fair(self, moves: tuple[Move, ...], position: Position) -> bool:
        material, spread = _balance(position)
        start_material, start_spread = self._start_balance
        if abs(material - start_material) > _MATERIAL_TOLERANCE:
            return False
        if abs(spread - start_spread) > _SPREAD_TOLERANCE:
            return False
        own, enemy = position.own, position.enemy
        if not board.has_legal_move(own, enemy):
            return False
        if _wins_in_one(own, enemy) or _wins_in_one(enemy, own):
            return False
        game = Game(self._start, self._rules)
        return game.verdict is None and all(game.push(move) is None for move in moves)


def _balance(position: Position) -> tuple[int, float]:
    """Return Black's surplus of pieces and of spread, the mean squared distance to the centre."""
    surplus = position.black.bit_count() - position.white.bit_count()
    return surplus, _spread(position.black) - _spread(position.white)


def _spread(pieces: int) -> float:
    count = ranks = files = squares = 0
    while pieces:
        square = (pieces & -pieces).bit_length() - 1
        pieces &= pieces - 1
        rank, file = square >> 3, square & 7
        count += 1
        ranks += rank
        files += file
        squares += rank * rank + file * file
    return (count * squares - ranks * ranks - files * files) / (count * count)


def _wins_in_one(own: int, enemy: int) -> bool:
    """Tell whether a move of the owner of ``own`` connects all its pieces."""
    for move in board.legal_moves(own, enemy):
        after, _ = board.apply_move(own, enemy, move)
        if board.is_connected(after):
            return True
    return False
