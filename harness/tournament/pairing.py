"""Who plays whom, when, with which colour and opening: the schedule as arithmetic on an index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, assert_never

from harness.tournament.spec import TournamentFormat, TournamentSpec

_GAME_ID: Final = re.compile(r"(?P<encounter>.+)\.(?P<pair>[1-9][0-9]{0,17})(?P<leg>[ab])")


@dataclass(frozen=True, slots=True)
class GamePlan:
    """One game of the schedule.

    ``pair`` counts from 1, ``leg`` is ``a`` or ``b``, ``index`` counts the games of the whole
    schedule from 0, ``opening_number`` counts from 0 and is the same in every encounter.
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


@dataclass(frozen=True, slots=True)
class Batch:
    """Games that may be played in any order; made when asked for, so a long one costs nothing.

    ``encounters`` are pairs of names in byte order. Pair *n* of every encounter comes before
    pair *n + 1* of any, the legs of a pair are neighbours. ``first_index`` is the index of the
    first game in the whole schedule.
    """

    number: int
    first_index: int
    rounds: int
    encounters: tuple[tuple[str, str], ...]
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {encounter_id(*names): place for place, names in enumerate(self.encounters)}
        object.__setattr__(self, "_places", places)

    def __len__(self) -> int:
        return 2 * self.rounds * len(self.encounters)

    def __iter__(self) -> Iterator[GamePlan]:
        return (self.plan(self.first_index + place) for place in range(len(self)))

    def plan(self, index: int) -> GamePlan:
        """Return the game of this index of the schedule; IndexError outside the batch."""
        place = index - self.first_index
        if not 0 <= place < len(self):
            raise IndexError(f"batch {self.number} has no game of index {index}")
        pair_place, leg_place = divmod(place, 2)
        round_place, encounter_place = divmod(pair_place, len(self.encounters))
        first, second = self.encounters[encounter_place]
        encounter, pair, leg = encounter_id(first, second), round_place + 1, "ab"[leg_place]
        return GamePlan(
            game_id=f"{encounter}.{pair}{leg}",
            encounter=encounter,
            pair=pair,
            leg=leg,
            batch=self.number,
            index=index,
            black=second if leg_place else first,
            white=first if leg_place else second,
            opening_number=round_place,
        )

    def index_of(self, game_id: str) -> int | None:
        """Return the index of the game of this id; None when the batch has no such game."""
        match = _GAME_ID.fullmatch(game_id)
        if match is None:
            return None
        encounter_place = self._places.get(match["encounter"])
        round_place = int(match["pair"]) - 1
        if encounter_place is None or round_place >= self.rounds:
            return None
        pair_place = round_place * len(self.encounters) + encounter_place
        return self.first_index + 2 * pair_place + (match["leg"] == "b")


def next_batch(spec: TournamentSpec, completed: int) -> Batch | None:
    """Return the batch after ``completed`` complete ones; None when the tournament is finished.

    Formats whose next games depend on results will take the results of the complete batches
    here, never the order in which games happened to finish.
    """
    match spec.format:
        case TournamentFormat.ROUND_ROBIN:
            if completed > 0:
                return None
            names = [bot.name for bot in spec.bots]
            return Batch(0, 0, spec.rounds, tuple(round_robin_encounters(names)))
        case _:
            assert_never(spec.format)


def encounter_id(one: str, other: str) -> str:
    """Return the two names in byte order, joined by ``~``."""
    return f"{one}~{other}" if one <= other else f"{other}~{one}"


def round_robin_encounters(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return all encounters by the circle method, so that no bot plays in rows or waits long.

    Every stretch of ``len(names) // 2`` encounters has each bot once, but for the one that has a
    bye when their number is odd. Source: the usual construction for round-robin tables, one
    seat fixed, the others moved on by one place a time.
    """
    seats: list[str | None] = list(names)
    if len(seats) % 2:
        seats.append(None)
    encounters = []
    for _ in range(len(seats) - 1):
        for place in range(len(seats) // 2):
            one, other = seats[place], seats[-1 - place]
            if one is not None and other is not None:
                encounters.append((min(one, other), max(one, other)))
        seats.insert(1, seats.pop())
    return encounters
