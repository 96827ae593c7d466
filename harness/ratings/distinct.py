"""The different values of an array, and of pairs of bots whoever moved first."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from harness.ratings.counts import IntArray

_WIDEST: Final = 8
"""Up to so many possible values for every item, counting is quicker than sorting."""


class Distinct(NamedTuple):
    """The different ``values`` in ascending order, and for every item the ``place`` of its own."""

    values: IntArray
    place: IntArray


class Pairings(NamedTuple):
    """The pairings of rows, whoever moved first.

    ``one`` and ``other`` are the lower and the higher bot of every pairing, in that order;
    ``of_row`` is the place of each row's pairing, ``sign`` 1 where ``one`` moved first, else -1.
    """

    one: IntArray
    other: IntArray
    of_row: IntArray
    sign: IntArray


def pairings(first: IntArray, second: IntArray) -> Pairings:
    """Return the different pairings of rows with these first and second movers."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    bots = int(high.max(initial=0)) + 1
    keys, of_row = distinct(low * bots + high)
    return Pairings(*np.divmod(keys, bots), of_row, np.where(first == low, 1, -1))


def distinct(keys: IntArray) -> Distinct:
    """Return the different keys, as ``numpy.unique`` does with ``return_inverse``."""
    if not len(keys):
        return Distinct(keys, keys)
    low = int(keys.min())
    width = int(keys.max()) - low + 1
    if width > _WIDEST * len(keys):
        return Distinct(*np.unique(keys, return_inverse=True))
    shifted = keys - low
    is_there = np.zeros(width, dtype=np.bool_)
    is_there[shifted] = True
    values = np.flatnonzero(is_there)
    places = np.empty(width, dtype=np.int64)
    places[values] = np.arange(len(values))
    return Distinct(values + low, places[shifted])
