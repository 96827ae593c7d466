"""Games that may be played in any order: the schedule as arithmetic on an index."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from harness.play.clock import TimeControl
from harness.tournament.encounter import Encounter

_LEGS: Final = "ab"
_MOST_DIGITS: Final = 18


@dataclass(frozen=True, slots=True)
class GamePlan:
    """One game of the schedule.

    ``pair`` counts from 1, ``leg`` is ``a`` or ``b``, ``index`` counts the games of the whole
    schedule from 0, ``opening_number`` counts from 0 and is the same in every encounter.
    ``time_control`` is the encounter's own; None: each bot's.
    """

    game_id: str
    encounter: str
    pair: int
    leg: str
    batch: int
    index: int
    black: str
    white: str
    opening_number: int
    time_control: TimeControl | None = None


class _Stretch(NamedTuple):
    """Rounds in which the same encounters are played: ``places`` of them, in order.

    ``start`` counts the pairs of a cycle that come before, ``first`` and ``end`` are rounds.
    """

    start: int
    first: int
    end: int
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Games that may be played in any order; made when asked for, so a long one costs nothing.

    In each cycle, round *n* of every encounter comes before round *n + 1* of any; the legs of a
    pair are neighbours. An encounter goes on counting its pairs from cycle to cycle.
    ``first_index`` is the index of the first game in the whole schedule. ``title`` says in
    words what is played, ``notes`` what was decided without a game.
    """

    number: int
    first_index: int
    encounters: tuple[Encounter, ...]
    cycles: int = 1
    title: str = ""
    notes: tuple[str, ...] = ()
    _places: dict[str, int] = field(init=False, repr=False, compare=False)
    _stretches: tuple[_Stretch, ...] = field(init=False, repr=False, compare=False)
    _pairs_of_a_cycle: int = field(init=False, repr=False, compare=False)
    _is_even: bool = field(init=False, repr=False, compare=False)
    _rounds_of_all: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {encounter.id: place for place, encounter in enumerate(self.encounters)}
        pairs = sum(encounter.rounds for encounter in self.encounters)
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "_stretches", tuple(_stretches(self.encounters)))
        object.__setattr__(self, "_is_even", len(self._stretches) == 1)
        rounds = self._stretches[0].end * self.cycles if self._stretches else 0
        object.__setattr__(self, "_rounds_of_all", rounds)
        object.__setattr__(self, "_pairs_of_a_cycle", pairs)

    def __len__(self) -> int:
        return 2 * self.cycles * self._pairs_of_a_cycle

    @property
    def indices(self) -> range:
        """The indices of its games in the whole schedule."""
        return range(self.first_index, self.first_index + len(self))

    @property
    def extent(self) -> str:
        """A text that only batches share whose games have the same ids at the same indices."""
        cycles = 0 if self._is_even else self.cycles
        hashed = hashlib.sha256(f"{self.first_index} {cycles}".encode("ascii"))
        for encounter in self.encounters:
            rounds = 0 if self._is_even else encounter.rounds
            part = f"\n{encounter.first_pair} {rounds} {encounter.id}"
            hashed.update(part.encode(errors="backslashreplace"))
        values = _Extent(hashed.hexdigest(), self._rounds_of_all if self._is_even else 0)
        return json.dumps(values._asdict(), separators=(",", ":"))

    def unchanged_since(self, extent: str) -> int:
        """Return below which index the games are those of the batch of this extent.

        What is not below it may have other indices; 0 when nothing is known.
        """
        ours, theirs = _read_extent(self.extent), _read_extent(extent)
        if ours is None or theirs is None or ours.encounters != theirs.encounters:
            return 0
        if not self._is_even:
            return self.indices.stop
        # The same encounters in rounds of equal size: the first rounds are the same.
        rounds = max(0, min(ours.rounds, theirs.rounds))
        return self.first_index + 2 * len(self.encounters) * rounds

    def __iter__(self) -> Iterator[GamePlan]:
        return (self.plan(self.first_index + place) for place in range(len(self)))

    def plan(self, index: int) -> GamePlan:
        """Return the game of this index of the schedule; IndexError outside the batch."""
        place = index - self.first_index
        if not 0 <= place < len(self):
            raise IndexError(f"batch {self.number} has no game of index {index}")
        pair_place, leg_place = divmod(place, 2)
        cycle, pair_place = divmod(pair_place, self._pairs_of_a_cycle)
        stretch = self._stretches[
            bisect_right(self._stretches, pair_place, key=lambda one: one.start) - 1
        ]
        rounds_before, member = divmod(pair_place - stretch.start, len(stretch.places))
        encounter = self.encounters[stretch.places[member]]
        pair = encounter.first_pair + cycle * encounter.rounds + stretch.first + rounds_before
        return GamePlan(
            game_id=f"{encounter.id}.{pair}{_LEGS[leg_place]}",
            encounter=encounter.id,
            pair=pair,
            leg=_LEGS[leg_place],
            batch=self.number,
            index=index,
            black=encounter.bots[leg_place],
            white=encounter.bots[1 - leg_place],
            opening_number=pair - 1,
            time_control=encounter.time_control,
        )

    def index_of(self, game_id: str) -> int | None:
        """Return the index of the game of this id; None when the batch has no such game."""
        # A million ids are looked up at once: no regular expression, no object for each.
        encounter_id, _, end = game_id.rpartition(".")
        place = self._places.get(encounter_id)
        leg = _LEGS.find(end[-1:])
        digits = end[:-1]
        if place is None or leg < 0 or not (digits.isascii() and digits.isdecimal()):
            return None
        if digits[0] == "0" or len(digits) > _MOST_DIGITS:
            return None
        encounter = self.encounters[place]
        pairs_before = int(digits) - encounter.first_pair
        if self._is_even:  # cycles make no difference
            if not 0 <= pairs_before < self._rounds_of_all:
                return None
            return self.first_index + 2 * (pairs_before * len(self.encounters) + place) + leg
        cycle, round_place = divmod(pairs_before, encounter.rounds)
        if not 0 <= cycle < self.cycles:
            return None
        stretch = self._stretches[
            bisect_right(self._stretches, round_place, key=lambda one: one.first) - 1
        ]
        pair_place = (
            cycle * self._pairs_of_a_cycle
            + stretch.start
            + (round_place - stretch.first) * len(stretch.places)
            + bisect_left(stretch.places, place)
        )
        return self.first_index + 2 * pair_place + leg


class _Extent(NamedTuple):
    """``encounters`` is a hash of the encounters in their order.

    ``rounds`` are those of all cycles, alike for every encounter; where they are not: 0, and the
    hash is of rounds and cycles too.
    """

    encounters: str
    rounds: int


def _read_extent(text: str) -> _Extent | None:
    try:
        values: Any = json.loads(text)
        extent = _Extent(**values)
    except (ValueError, TypeError):
        return None
    return extent if tuple(map(type, extent)) == (str, int) else None


def _stretches(encounters: tuple[Encounter, ...]) -> Iterator[_Stretch]:
    start = first = 0
    for end in sorted({encounter.rounds for encounter in encounters}):
        places = tuple(
            place for place, encounter in enumerate(encounters) if encounter.rounds >= end
        )
        yield _Stretch(start, first, end, places)
        start += (end - first) * len(places)
        first = end
