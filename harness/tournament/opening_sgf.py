"""Openings as SGF: one game of a collection is one opening, its setup the start."""

from __future__ import annotations

from collections.abc import Iterator

from harness.errors import SgfError
from harness.play.types import Opening
from harness.rules.sgf import read_sgf_games
from harness.tournament.opening_entry import FaultKind, OpeningEntry, OpeningFault


def read_opening_sgf(text: str, plies: int | None) -> Iterator[OpeningEntry]:
    """Yield the entry of every game of a collection: the first ``plies`` moves of its main line.

    Without ``plies`` all moves. A text that is no collection is one entry, a fault.
    """
    try:
        games = read_sgf_games(text, plies)
    except SgfError as error:
        yield OpeningEntry(f"line {error.line}", OpeningFault(FaultKind.UNREADABLE, error.why))
        return
    for number, (line, game) in enumerate(games, start=1):
        if isinstance(game, SgfError):
            fault = OpeningFault(FaultKind.UNREADABLE, game.why)
            yield OpeningEntry(f"game {number} (line {game.line})", fault)
        else:
            yield OpeningEntry(f"game {number} (line {line})", Opening(game.start, game.moves))
