"""Saying that openings begin to come again when they do, as counting them first would take long."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.play.types import Opening
from harness.tournament.openings import OpeningList


class AnnouncedOpenings:
    """The same openings; ``tell`` is called once, when the first comes for the second time.

    ``planned`` is the number of game pairs that are known to be played, for the sentence.
    """

    def __init__(self, openings: OpeningList, planned: int, tell: Callable[[str], None]) -> None:
        self._openings = openings
        self._planned = planned
        self._tell: Callable[[str], None] | None = tell

    @property
    def identity(self) -> str:
        """The origin in one line."""
        return self._openings.identity

    @property
    def distinct(self) -> int:
        """How many different openings the first ``len`` hold."""
        return self._openings.distinct

    @property
    def available(self) -> int | None:
        """After how many the first comes again; None while that is not known."""
        return self._openings.available

    def notice(self, count: int | None = None) -> str | None:
        """Return what is known of the first ``count``."""
        return self._openings.notice(count)

    def __getitem__(self, number: int) -> Opening:
        opening = self._openings[number]
        available = self._openings.available
        if self._tell is not None and available is not None and number >= available:
            text = self._openings.notice(max(self._planned, number + 1))
            if text is not None:
                self._tell(text)
            self._tell = None
        return opening

    def __len__(self) -> int:
        return len(self._openings)

    def __iter__(self) -> Iterator[Opening]:
        return (self[number] for number in range(len(self)))
