"""Which bots can be compared at all: pools that met, and strongly connected components.

SciPy has these, but its import takes longer than everything else that the plain table does; a
closure by matrix products is enough for any number of bots that a table can show.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from harness.ratings.counts import FloatArray, GameCounts, IntArray


def pools(counts: GameCounts) -> list[IntArray]:
    """Return the bots of every pool: bots are in one pool when a chain of games joins them.

    Bots without games are in none. The pool with most bots comes first, then most games, then
    byte order.
    """
    met = counts.matrix(counts.games) > 0
    groups = _classes(_closure(met | met.T))
    played = counts.by_bot(counts.games, counts.games)
    return _largest_first([group for group in groups if played[group[0]] > 0], played)


def strong_components(counts: GameCounts) -> list[IntArray]:
    """Return the strongly connected components, the largest (the core) first.

    An arc leads from i to j when i took at least half a point from j: inside a component no
    rating is infinite. Equal sizes: most games, then byte order.
    """
    reach = _closure(took_points(counts))
    played = counts.by_bot(counts.games, counts.games)
    return _largest_first(_classes(reach & reach.T), played)


def took_points(counts: GameCounts) -> NDArray[np.bool_]:
    """Return the square of (bot, opponent) that is true where the bot took half a point or more."""
    as_first = counts.matrix(counts.wins + counts.draws)
    as_second = counts.matrix(counts.losses + counts.draws).T
    return as_first + as_second > 0


def _closure(arcs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    reach = arcs | np.eye(len(arcs), dtype=bool)
    while True:
        steps = reach.astype(np.float32)
        further = steps @ steps > 0
        if np.array_equal(further, reach):
            return reach
        reach = further


def _classes(equivalent: NDArray[np.bool_]) -> list[IntArray]:
    if not len(equivalent):
        return []
    leaders = equivalent.argmax(axis=1)
    return [np.flatnonzero(leaders == leader) for leader in np.unique(leaders)]


def _largest_first(groups: list[IntArray], played: FloatArray) -> list[IntArray]:
    return sorted(groups, key=lambda group: (-len(group), -played[group].sum(), group[0]))
