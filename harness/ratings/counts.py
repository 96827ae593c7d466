"""Results counted by pairing: what every rating starts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


class PairingCount(NamedTuple):
    """The results of all games in which ``first`` moved first against ``second``, as first saw."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True, eq=False)
class GameCounts:
    """Pairing counts as arrays.

    ``names`` are in byte order and include bots without games. One row for every two bots on
    their sides: ``first`` and ``second`` are indices into ``names``, the other arrays count
    games from the first mover's side. Rows without games are left out.
    """

    names: tuple[str, ...]
    first: IntArray
    second: IntArray
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray

    @classmethod
    def from_rows(cls, rows: Sequence[PairingCount], names: Sequence[str] = ()) -> Self:
        """Add up the rows; ValueError for a negative count or a bot that met itself."""
        sums: Counter[tuple[str, str, int]] = Counter()
        for row in rows:
            if row.first == row.second or min(row.wins, row.draws, row.losses) < 0:
                raise ValueError(f"no pairing count: {row!r}")
            for place, count in enumerate(row[2:]):
                sums[row.first, row.second, place] += count
        known = {name for row in rows for name in (row.first, row.second)}
        ordered = tuple(sorted(known.union(names)))
        index = {name: number for number, name in enumerate(ordered)}
        pairs = sorted({key[:2] for key, count in sums.items() if count})
        results = np.array(
            [[sums[first, second, place] for place in range(3)] for first, second in pairs],
            dtype=np.float64,
        ).reshape(-1, 3)
        return cls(
            names=ordered,
            first=np.array([index[first] for first, _ in pairs], dtype=np.int64),
            second=np.array([index[second] for _, second in pairs], dtype=np.int64),
            wins=results[:, 0],
            draws=results[:, 1],
            losses=results[:, 2],
        )

    @property
    def games(self) -> FloatArray:
        """Games of every row."""
        return self.wins + self.draws + self.losses

    @property
    def total(self) -> int:
        """All games."""
        return int(self.games.sum())

    def by_bot(self, as_first: FloatArray, as_second: FloatArray) -> FloatArray:
        """Sum a number of every row over the rows of each bot, by the side it played."""
        bots = len(self.names)
        sums = np.bincount(self.first, as_first, bots) + np.bincount(self.second, as_second, bots)
        return np.asarray(sums, dtype=np.float64)

    def pairing_counts(self) -> list[PairingCount]:
        """Return the rows with names."""
        names = self.names
        return [
            PairingCount(names[first], names[second], int(wins), int(draws), int(losses))
            for first, second, wins, draws, losses in zip(
                *(
                    column.tolist()
                    for column in (self.first, self.second, self.wins, self.draws, self.losses)
                ),
                strict=True,
            )
        ]

    def matrix(self, values: FloatArray) -> FloatArray:
        """Spread a number of every row over a square of (first mover, second mover)."""
        bots = len(self.names)
        cells = np.bincount(self.first * bots + self.second, values, bots * bots)
        return np.asarray(cells, dtype=np.float64).reshape(bots, bots)

    def only(self, bots: IntArray) -> GameCounts:
        """Return the counts among these bots alone; ``bots`` are ascending indices."""
        place = np.full(len(self.names), -1, dtype=np.int64)
        place[bots] = np.arange(len(bots))
        inside = (place[self.first] >= 0) & (place[self.second] >= 0)
        return GameCounts(
            names=tuple(self.names[bot] for bot in bots),
            first=place[self.first[inside]],
            second=place[self.second[inside]],
            wins=self.wins[inside],
            draws=self.draws[inside],
            losses=self.losses[inside],
        )
