"""Results game by game, with their openings and game pairs: what errors are reckoned from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from harness.ratings.counts import BoolArray, FloatArray, GameCounts, IntArray
from harness.ratings.distinct import distinct

_SHORT_IDENTITY = 8
_PAIRS_OF_A_SOURCE = 1 << 40


class SourceColumns(Protocol):
    """The results of one tournament in columns, as the store gives them.

    ``black`` and ``white`` index ``bots`` (name, identity), ``opening`` indexes ``openings``
    (content identity), ``half_points`` are Black's.
    """

    @property
    def bots(self) -> Mapping[int, tuple[str, str]]:
        """Name and identity of every bot by number."""
        ...

    @property
    def openings(self) -> Mapping[int, str]:
        """Content identity of every opening by number."""
        ...

    @property
    def black(self) -> Sequence[int]:
        """Number of the bot that moved first."""
        ...

    @property
    def white(self) -> Sequence[int]:
        """Number of the bot that moved second."""
        ...

    @property
    def opening(self) -> Sequence[int]:
        """Number of the opening."""
        ...

    @property
    def half_points(self) -> Sequence[int]:
        """Half points of the bot that moved first."""
        ...

    @property
    def pair(self) -> Sequence[int]:
        """Number of the game pair in its encounter."""
        ...

    @property
    def moves_hash(self) -> Sequence[int]:
        """Equal for equal moves."""
        ...


class OpeningRows(NamedTuple):
    """Results added up by pairing, side and opening: the parts of every cluster.

    ``first``, ``second`` index the names, ``opening`` the openings; one row for every
    combination with games, in that order.
    """

    first: IntArray
    second: IntArray
    opening: IntArray
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class GameResults:
    """Games one by one, an item a game in every array.

    ``first`` and ``second`` (the bot that plays Black moves first) are indices into ``names``,
    which are in byte order and include bots without games; ``opening`` into ``openings``.
    ``half_points`` are the first mover's: 2, 1 or 0. Games of two bots with the same ``pair``
    are the legs of one game pair. Games of one pairing and opening with the same ``moves`` are
    the same game played again.
    """

    names: tuple[str, ...]
    openings: tuple[str, ...]
    first: IntArray
    second: IntArray
    opening: IntArray
    half_points: NDArray[np.int8]
    pair: IntArray
    moves: IntArray

    @property
    def total(self) -> int:
        """Number of games."""
        return len(self.first)

    def counts(self) -> GameCounts:
        """Add the games up by pairing."""
        bots = len(self.names)
        cells = (self.first * bots + self.second) * 3 + self.half_points
        sums = np.bincount(cells, minlength=bots * bots * 3).reshape(bots * bots, 3)
        pairings = np.flatnonzero(sums.any(axis=1))
        first, second = np.divmod(pairings, max(bots, 1))
        losses, draws, wins = sums[pairings].astype(np.float64).T
        return GameCounts(self.names, first, second, wins, draws, losses)

    def opening_rows(self) -> OpeningRows:
        """Add the games up by pairing, side and opening."""
        bots, openings = len(self.names), max(len(self.openings), 1)
        keys = (self.first * bots + self.second) * openings + self.opening
        rows, places = distinct(keys)
        sums = np.bincount(places * 3 + self.half_points, minlength=len(rows) * 3)
        losses, draws, wins = sums.reshape(-1, 3).T.astype(np.float64, order="C")
        pairings, opening = np.divmod(rows, openings)
        first, second = np.divmod(pairings, max(bots, 1))
        return OpeningRows(first, second, opening, wins, draws, losses)

    def among(self, bots: IntArray) -> GameResults:
        """Return the games among these bots alone; ``bots`` are ascending indices."""
        if len(bots) == len(self.names):
            return self
        place = np.full(len(self.names), -1, dtype=np.int64)
        place[bots] = np.arange(len(bots))
        inside = (place[self.first] >= 0) & (place[self.second] >= 0)
        names = tuple(self.names[bot] for bot in bots)
        return self._where(inside, names, place)

    def where(self, mask: BoolArray) -> GameResults:
        """Return the games of this mask, with the same names and openings."""
        return self._where(mask, self.names, np.arange(len(self.names)))

    def _where(self, mask: BoolArray, names: tuple[str, ...], place: IntArray) -> GameResults:
        return GameResults(
            names,
            self.openings,
            place[self.first[mask]],
            place[self.second[mask]],
            self.opening[mask],
            self.half_points[mask],
            self.pair[mask],
            self.moves[mask],
        )


class Labels(NamedTuple):
    """The names of bots over several tournaments, by (name, identity).

    ``split`` lists the names that stand for several identities.
    """

    labels: dict[tuple[str, str], str]
    split: tuple[str, ...]


def label_bots(bots: Sequence[tuple[str, str]]) -> Labels:
    """Name bots over all tournaments: the same bot is the same name and the same identity.

    A name that stands for several identities becomes ``name#`` and the shortest beginnings (8
    digits or more) of the identities that tell them apart.
    """
    identities: defaultdict[str, set[str]] = defaultdict(set)
    for name, identity in bots:
        identities[name].add(identity)
    labels = {
        (name, identity): label
        for name, known in identities.items()
        for identity, label in _labels(name, known).items()
    }
    split = tuple(sorted(name for name, known in identities.items() if len(known) > 1))
    return Labels(labels, split)


def merge_results(
    sources: Sequence[SourceColumns],
    labels: Mapping[tuple[str, str], str],
    idle: Sequence[str] = (),
) -> GameResults:
    """Put the games of several tournaments together; ``idle`` are names of bots without games."""
    played = {
        labels[source.bots[number]]
        for source in sources
        for column in (source.black, source.white)
        for number in distinct(_numbers(column)).values.tolist()
    }
    names = tuple(sorted(played.union(idle)))
    openings = tuple(
        sorted(
            {
                source.openings[number]
                for source in sources
                for number in distinct(_numbers(source.opening)).values.tolist()
            }
        )
    )
    index = {name: place for place, name in enumerate(names)}
    opening_index = {opening: place for place, opening in enumerate(openings)}
    parts = []
    for number, source in enumerate(sources):
        bots = _lookup(
            {key: index.get(labels.get(bot, ""), -1) for key, bot in source.bots.items()}
        )
        kept = _lookup({key: opening_index.get(one, -1) for key, one in source.openings.items()})
        parts.append(
            (
                bots[_numbers(source.black)],
                bots[_numbers(source.white)],
                kept[_numbers(source.opening)],
                np.asarray(source.half_points, dtype=np.int8),
                _numbers(source.pair) + number * _PAIRS_OF_A_SOURCE,
                _numbers(source.moves_hash),
            )
        )
    if not parts:
        none = np.zeros(0, dtype=np.int64)
        return GameResults(names, (), none, none, none, none.astype(np.int8), none, none)
    first, second, opening, half_points, pair, moves = map(np.concatenate, zip(*parts, strict=True))
    return GameResults(names, openings, first, second, opening, half_points, pair, moves)


def _numbers(column: Sequence[int]) -> IntArray:
    return np.asarray(column, dtype=np.int64)


def _lookup(places: Mapping[int, int]) -> IntArray:
    table = np.full(max(places, default=0) + 1, -1, dtype=np.int64)
    for number, place in places.items():
        table[number] = place
    return table


def _labels(name: str, identities: set[str]) -> dict[str, str]:
    if len(identities) == 1:
        return dict.fromkeys(identities, name)
    length = _SHORT_IDENTITY
    while len({identity[:length] for identity in identities}) < len(identities):
        length += 1
    return {identity: f"{name}#{identity[:length] or 'unknown'}" for identity in identities}
