"""Openings of a sequential test: no position twice, however it was reached."""

from __future__ import annotations

from collections.abc import Iterator

from harness.play.types import Opening
from harness.rules.notation import format_fen
from harness.tournament.openings import OpeningList
from harness.tournament.spec import OpeningSource

_MANY_PLIES = 4
"""From so many random plies on there are more openings than a generator ever makes."""


def reached(opening: Opening) -> str:
    """Return the position that an opening leads to, with the side to move, as text.

    Two openings that transpose into one another are one opening for whoever plays on.
    """
    position = opening.start
    for move in opening.moves:
        position = position.after(move)
    return format_fen(position)


class DistinctOpenings:
    """The openings of a list in their order, without those that reach an earlier one's position."""

    def __init__(self, openings: OpeningList, source: OpeningSource) -> None:
        self._openings = openings
        self._is_plentiful = source.file is None and source.random_plies >= _MANY_PLIES
        self._found: list[Opening] = []
        self._seen: set[str] = set()
        self._next = 0

    @property
    def identity(self) -> str:
        """The origin in one line."""
        return self._openings.identity

    @property
    def distinct(self) -> int:
        """How many there are, up to ``len``; of a plentiful source that is not counted."""
        return len(self) if self._is_plentiful else self._extended(len(self))

    @property
    def available(self) -> int | None:
        """How many there are, where all have been looked at."""
        return len(self._found) if self._next >= self._size() else None

    def notice(self, count: int | None = None) -> str | None:
        """Return None: no opening is played twice."""
        return None

    def __getitem__(self, number: int) -> Opening:
        return self._found[number % self._extended(number + 1)]

    def __len__(self) -> int:
        return len(self._openings)

    def __iter__(self) -> Iterator[Opening]:
        return (self[number] for number in range(self.distinct))

    def _size(self) -> int:
        available = self._openings.available
        return len(self._openings) if available is None else available

    def _extended(self, count: int) -> int:
        """Look for so many; returns how many there are of them."""
        while len(self._found) < count and self._next < self._size():
            opening = self._openings[self._next]
            self._next += 1
            if self._next > self._size():  # the list came to its end while it was asked
                break
            position = reached(opening)
            if position not in self._seen:
                self._seen.add(position)
                self._found.append(opening)
        return min(count, len(self._found))
