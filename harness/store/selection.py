"""Which games count in a rating: by bot, by date, by time control."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from harness.play.clock import TimeControl
from harness.store.records import Value

_IDENTITY_SIGN: Final = "#"


class BotPattern(NamedTuple):
    """A bot by name, where ``*`` and ``?`` stand for anything, or by ``name#identity``."""

    text: str

    def matches(self, name: str, identity: str) -> bool:
        """Whether this bot is meant; of an identity its first digits are enough."""
        pattern, sign, digits = self.text.partition(_IDENTITY_SIGN)
        pattern = pattern.replace("[", "[[]")  # only * and ? stand for others
        return fnmatchcase(name, pattern) and (not sign or identity.startswith(digits))


class DateRange(NamedTuple):
    """Days in UTC, both ends included, as ``2026-11-30``; None: open."""

    first: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class Terms:
    """Bots, time controls and days; a game may match any of a kind."""

    bots: tuple[BotPattern, ...] = ()
    time_controls: tuple[TimeControl, ...] = ()
    dates: tuple[DateRange, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is named."""
        return not (self.bots or self.time_controls or self.dates)


@dataclass(frozen=True, slots=True)
class Selection:
    """The games that count.

    ``only``: both bots, both time controls and the day must be among those named, for each kind
    that is named at all. ``without``: a game with a bot, a time control or a day that is named
    here does not count.
    """

    only: Terms = Terms()
    without: Terms = Terms()

    @property
    def is_everything(self) -> bool:
        """Whether every game counts."""
        return self.only.is_empty and self.without.is_empty

    def has_bot(self, name: str, identity: str) -> bool:
        """Whether games of this bot can count."""
        return self._has(lambda terms: [one.matches(name, identity) for one in terms.bots])

    def has_time_control(self, text: str) -> bool:
        """Whether games of a bot with this time control can count."""
        return self._has(lambda terms: [one.text == text for one in terms.time_controls])

    def _has(self, matches: Callable[[Terms], list[bool]]) -> bool:
        only = matches(self.only)
        return (not only or any(only)) and not any(matches(self.without))


EVERYTHING: Final = Selection()


class Where(NamedTuple):
    """A condition on the table games ("" for none) and its parameters."""

    text: str
    parameters: tuple[Value, ...]


def where(
    selection: Selection,
    bots: Iterable[tuple[int, str, str]],
    settings: Iterable[tuple[int, str, str]],
) -> Where:
    """Return the condition for the games of a selection.

    ``bots`` are (number, name, identity), ``settings`` (number, Black's and White's time
    control), as stored.
    """
    conditions: list[str] = []
    parameters: list[Value] = []

    def among(columns: Iterable[str], numbers: list[int]) -> None:
        marks = ", ".join("?" * len(numbers))
        for column in columns:
            conditions.append(f"{column} IN ({marks})")
            parameters.extend(numbers)

    if selection.only.bots or selection.without.bots:
        among(["black", "white"], [number for number, *bot in bots if selection.has_bot(*bot)])
    if selection.only.time_controls or selection.without.time_controls:
        fitting = [number for number, *texts in settings if _all_fit(selection, texts)]
        among(["settings"], fitting)
    if selection.only.dates:
        _add_dates(selection.only.dates, "", conditions, parameters)
    if selection.without.dates:
        _add_dates(selection.without.dates, "NOT ", conditions, parameters)
    return Where(f"WHERE {' AND '.join(conditions)}" if conditions else "", tuple(parameters))


def _all_fit(selection: Selection, texts: list[str]) -> bool:
    return all(selection.has_time_control(text) for text in texts)


def _add_dates(
    dates: tuple[DateRange, ...], sign: str, conditions: list[str], parameters: list[Value]
) -> None:
    ranges = []
    for first, last in dates:
        # Days compare as text; a moment of a day is its text and more.
        ends = []
        if first is not None:
            ends.append("started_at >= ?")
            parameters.append(first)
        if last is not None:
            ends.append("substr(started_at, 1, 10) <= ?")
            parameters.append(last)
        ranges.append(f"({' AND '.join(ends) or '1'})")
    conditions.append(f"{sign}({' OR '.join(ranges)})")
