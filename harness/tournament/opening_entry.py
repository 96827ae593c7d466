"""One opening of a file: where it stands, and the opening or what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from harness.errors import IllegalMoveError
from harness.play.types import Opening
from harness.rules.game import Game
from harness.rules.types import RuleSet


class FaultKind(Enum):
    """Why an entry of a file is no opening."""

    UNREADABLE = "unreadable"
    NO_START = "no-start"
    ILLEGAL = "illegal"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class OpeningFault:
    """What is wrong with an entry; ``message`` is for people."""

    kind: FaultKind
    message: str


@dataclass(frozen=True, slots=True)
class OpeningEntry:
    """One entry; ``place`` names it to people, as ``line 12`` or ``game 3 (line 40)``."""

    place: str
    content: Opening | OpeningFault


def played_out(entry: OpeningEntry, rules: RuleSet) -> OpeningEntry:
    """Return the entry, or its fault when a move is illegal or the opening ends the game."""
    if isinstance(entry.content, OpeningFault):
        return entry
    fault = _fault_of(entry.content, rules)
    return entry if fault is None else OpeningEntry(entry.place, fault)


def _fault_of(opening: Opening, rules: RuleSet) -> OpeningFault | None:
    game = Game(opening.start, rules)
    if game.verdict is not None:
        why = f"decided before a move: {game.verdict.termination.value}"
        return OpeningFault(FaultKind.DECIDED, why)
    for count, move in enumerate(opening.moves, start=1):
        try:
            verdict = game.play(move)
        except IllegalMoveError as error:
            return OpeningFault(FaultKind.ILLEGAL, str(error))
        if verdict is not None:
            why = f"decided by move {count}: {verdict.termination.value}"
            return OpeningFault(FaultKind.DECIDED, why)
    return None
