"""What was seen beside the results: endings, lengths, times, openings, as plain counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from harness.ratings.counts import FloatArray, IntArray

FORFEIT_CAUSES: Final = frozenset(
    {"time", "illegal-move", "malformed-reply", "output-overflow", "crash"}
)
"""Causes that are a fault of the loser."""


MOST_WITH_INTERVALS: Final = 6
"""Bots whose intervals can be told apart in one picture."""


class EndingCount(NamedTuple):
    """Games of two bots on their sides that ended for one cause, with one result.

    ``winner`` is the name of the winner, None for a draw. ``plies`` is the sum over the games,
    the openings' included; the times are what each side was charged in all of them.
    """

    first: str
    second: str
    cause: str
    winner: str | None
    games: int
    plies: int
    first_time_ns: int
    second_time_ns: int
    first_moves: int
    second_moves: int

    @property
    def loser(self) -> str | None:
        """Name of the loser; None for a draw."""
        if self.winner is None:
            return None
        return self.second if self.winner == self.first else self.first


class LengthCount(NamedTuple):
    """Games of one length in plies, the opening's included."""

    plies: int
    is_drawn: bool
    games: int


class PlyTime(NamedTuple):
    """How long one bot thought at its ``move``-th own move after the opening (from 1).

    Quartiles in seconds over ``games`` games.
    """

    bot: str
    move: int
    games: int
    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class ThinkingTimes:
    """Thinking times of a sample of ``sampled`` out of ``games`` games."""

    plies: tuple[PlyTime, ...]
    sampled: int
    games: int


@dataclass(frozen=True, slots=True, eq=False)
class OpeningScores:
    """The first mover's share of the points by opening, in the order of the openings' ids.

    ``games``, ``score`` (0 to 1) and ``expected`` (what the model expects of the bots that played
    it, if openings made no difference) have one item an opening.
    """

    openings: tuple[str, ...]
    games: IntArray
    score: FloatArray
    expected: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RatingHistory:
    """Ratings after the first games of the schedule, on the scale of the whole.

    ``games`` has one item a checkpoint, ascending; ``elo`` and ``error`` (half a 95 % interval)
    are of shape (checkpoints, bots), nan where a bot has no rating yet. ``names`` are best first.
    """

    names: tuple[str, ...]
    games: IntArray
    elo: FloatArray
    error: FloatArray
    caption: str


def thinking_times(
    samples: Sequence[tuple[str, Sequence[int]]], sampled: int, games: int
) -> ThinkingTimes:
    """Return quartiles by bot and own move; ``samples`` are (bot, times in ns of its moves)."""
    by_bot: defaultdict[str, list[Sequence[int]]] = defaultdict(list)
    for bot, elapsed_ns in samples:
        by_bot[bot].append(elapsed_ns)
    found = []
    for bot, parts in sorted(by_bot.items()):
        longest = max(map(len, parts))
        for place in range(longest):
            seconds = np.array([part[place] for part in parts if place < len(part)]) / 1e9
            low, median, high = np.percentile(seconds, [25, 50, 75]).tolist()
            found.append(PlyTime(bot, place + 1, len(seconds), low, median, high))
    return ThinkingTimes(tuple(found), sampled, games)
