"""The different values of an array, by counting where they lie close together."""

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
