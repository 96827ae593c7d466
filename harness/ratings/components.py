"""Which bots can be compared at all: pools that met, and strongly connected components."""

from __future__ import annotations

import numpy as np

from harness.ratings.counts import BoolArray, FloatArray, GameCounts, IntArray


def pools(counts: GameCounts) -> list[IntArray]:
    """Return the bots of every pool: bots are in one pool when a chain of games joins them.

    Bots without games are in none. The pool with most bots comes first, then most games, then
    byte order.
    """
    met = counts.matrix(counts.games) > 0
    groups = joined(met)
    played = counts.by_bot(counts.games, counts.games)
    return _largest_first([group for group in groups if played[group[0]] > 0], played)


def strong_components(counts: GameCounts) -> list[IntArray]:
    """Return the strongly connected components, the largest (the core) first.

    An arc leads from i to j when i took at least half a point from j: inside a component no
    rating is infinite. Equal sizes: most games, then byte order.
    """
    played = counts.by_bot(counts.games, counts.games)
    return _largest_first(_components(took_points(counts), is_strong=True), played)


def joined(arcs: BoolArray) -> list[IntArray]:
    """Return the sets of bots that arcs join, whichever way they lead; some of one bot only."""
    return _components(arcs, is_strong=False)


def took_points(counts: GameCounts) -> BoolArray:
    """Return the square of (bot, opponent) that is true where the bot took half a point or more."""
    as_first = counts.matrix(counts.wins + counts.draws)
    as_second = counts.matrix(counts.losses + counts.draws).T
    return as_first + as_second > 0


def _components(arcs: BoolArray, *, is_strong: bool) -> list[IntArray]:
    from scipy.sparse.csgraph import connected_components

    if not len(arcs):
        return []
    _, labels = connected_components(
        arcs, directed=True, connection="strong" if is_strong else "weak"
    )
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def _largest_first(groups: list[IntArray], played: FloatArray) -> list[IntArray]:
    return sorted(groups, key=lambda group: (-len(group), -played[group].sum(), group[0]))
