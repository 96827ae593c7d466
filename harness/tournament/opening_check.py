"""What is wrong with the openings of a file, and how many there are of which kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import Enum

from harness.play.types import Opening
from harness.rules import board
from harness.rules.position import Position
from harness.rules.types import Color, RuleSet, SimultaneousRule
from harness.tournament.opening_entry import FaultKind, OpeningEntry, OpeningFault
from harness.tournament.symmetry import colorless_key, symmetry_key


class FlawKind(Enum):
    """Why an opening that can be played is of little use."""

    DUPLICATE = "duplicate"
    SAME_POSITION = "same-position"
    SYMMETRIC = "symmetric"
    COLORS_EXCHANGED = "colours-exchanged"
    WIN_IN_ONE = "win-in-one"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found, where, and in words."""

    place: str
    kind: FaultKind | FlawKind
    message: str


@dataclass(frozen=True, slots=True)
class OpeningCheck:
    """What a file holds: ``openings`` that can be played, by length and by side to move.

    ``lengths`` are pairs of plies and number, the shortest first.
    """

    openings: int
    lengths: tuple[tuple[int, int], ...]
    black_to_move: int
    white_to_move: int
    findings: tuple[Finding, ...]


def examine_openings(entries: Sequence[OpeningEntry], rules: RuleSet) -> OpeningCheck:
    """Return all faults and flaws of a file's entries in their order.

    Of the ways in which an opening repeats an earlier one the closest is named: the same moves,
    the same position, one that a symmetry of the board joins, one with the colours exchanged.
    """
    findings: list[Finding] = []
    lengths: Counter[int] = Counter()
    sides: Counter[Color] = Counter()
    earlier = _Earlier()
    for entry in entries:
        if isinstance(entry.content, OpeningFault):
            findings.append(Finding(entry.place, entry.content.kind, entry.content.message))
            continue
        position = _reached(entry.content)
        lengths[len(entry.content.moves)] += 1
        sides[position.to_move] += 1
        repeated = earlier.repeated(entry.place, entry.content, position)
        if repeated is not None:
            findings.append(repeated)
        if _wins_in_one(position, rules):
            why = f"{position.to_move.word.capitalize()}, to move, wins in one"
            findings.append(Finding(entry.place, FlawKind.WIN_IN_ONE, why))
    return OpeningCheck(
        openings=lengths.total(),
        lengths=tuple(sorted(lengths.items())),
        black_to_move=sides[Color.BLACK],
        white_to_move=sides[Color.WHITE],
        findings=tuple(findings),
    )


class _Earlier:
    """Where what stands before was seen first, by each of the things that may repeat it."""

    def __init__(self) -> None:
        self._places: dict[tuple[FlawKind, Hashable], str] = {}

    def repeated(self, place: str, opening: Opening, position: Position) -> Finding | None:
        """Return how an opening repeats an earlier one, and remember it."""
        found: Finding | None = None
        for kind, key, words in (
            (FlawKind.DUPLICATE, opening, "repeats {}"),
            (FlawKind.SAME_POSITION, position, "reaches the position of {}"),
            (FlawKind.SYMMETRIC, symmetry_key(position), "is {} turned or mirrored"),
            (FlawKind.COLORS_EXCHANGED, colorless_key(position), "is {} with colours exchanged"),
        ):
            first = self._places.setdefault((kind, key), place)
            if first != place and found is None:
                found = Finding(place, kind, words.format(first))
        return found


def _reached(opening: Opening) -> Position:
    position = opening.start
    for move in opening.moves:
        position = position.after(move)
    return position


def _wins_in_one(position: Position, rules: RuleSet) -> bool:
    """Tell whether the side to move has a move that wins under ``rules``."""
    for move in position.legal_moves():
        own, enemy = board.apply_move(position.own, position.enemy, move)
        if board.is_connected(own) and (
            rules.simultaneous is SimultaneousRule.MOVER or not board.is_connected(enemy)
        ):
            return True
    return False
