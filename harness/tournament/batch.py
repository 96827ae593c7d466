"""Games that may be played in any order: the schedule as arithmetic on an index."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from harness.play.clock import TimeControl
from harness.tournament.encounter import Encounter

_GAME_ID: Final = re.compile(r"(?P<encounter>.+)\.(?P<pair>[1-9][0-9]{0,17})(?P<leg>[ab])")


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

    def __post_init__(self) -> None:
        places = {encounter.id: place for place, encounter in enumerate(self.encounters)}
        pairs = sum(encounter.rounds for encounter in self.encounters)
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "_stretches", tuple(_stretches(self.encounters)))
        object.__setattr__(self, "_pairs_of_a_cycle", pairs)

    def __len__(self) -> int:
        return 2 * self.cycles * self._pairs_of_a_cycle

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
            game_id=f"{encounter.id}.{pair}{'ab'[leg_place]}",
            encounter=encounter.id,
            pair=pair,
            leg="ab"[leg_place],
            batch=self.number,
            index=index,
            black=encounter.bots[leg_place],
            white=encounter.bots[1 - leg_place],
            opening_number=pair - 1,
            time_control=encounter.time_control,
        )

    def index_of(self, game_id: str) -> int | None:
        """Return the index of the game of this id; None when the batch has no such game."""
        match = _GAME_ID.fullmatch(game_id)
        if match is None:
            return None
        place = self._places.get(match["encounter"])
        if place is None:
            return None
        encounter = self.encounters[place]
        cycle, round_place = divmod(int(match["pair"]) - encounter.first_pair, encounter.rounds)
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
        return self.first_index + 2 * pair_place + (match["leg"] == "b")


def _stretches(encounters: tuple[Encounter, ...]) -> Iterator[_Stretch]:
    start = first = 0
    for end in sorted({encounter.rounds for encounter in encounters}):
        places = tuple(
            place for place, encounter in enumerate(encounters) if encounter.rounds >= end
        )
        yield _Stretch(start, first, end, places)
        start += (end - first) * len(places)
        first = end
