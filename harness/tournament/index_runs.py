"""Places in the schedule as runs of neighbours: a million stored games are mostly one run."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator


class IndexRuns:
    """A set of indices from 0, kept as its runs: it grows with the gaps, not with the indices."""

    __slots__ = ("_before", "_ends", "_starts")

    def __init__(self, ascending: Iterable[int] = ()) -> None:
        """Take indices, each greater than the one before.

        Raises ValueError when one is not, TypeError when one is no whole number.
        """
        starts, ends = array("q"), array("q")
        end = 0
        for index in ascending:
            if index == end and starts:
                end += 1
                continue
            if index < end:
                raise ValueError(f"index {index} comes twice, too late, or is negative")
            if starts:
                ends.append(end)
            starts.append(index)
            end = index + 1
        if starts:
            ends.append(end)
        self._starts = starts
        self._ends = ends
        self._before = array("q", [0])  # how many indices are in the runs before each
        for start, end in zip(starts, ends, strict=True):
            self._before.append(self._before[-1] + end - start)

    def __len__(self) -> int:
        return self._before[-1]

    def __contains__(self, index: int) -> bool:
        place = bisect_right(self._starts, index) - 1
        return place >= 0 and index < self._ends[place]

    def count_below(self, index: int) -> int:
        """Return how many indices are smaller than this one."""
        place = bisect_right(self._starts, index) - 1
        if place < 0:
            return 0
        return self._before[place] + min(index, self._ends[place]) - self._starts[place]

    def count_in(self, indices: range) -> int:
        """Return how many indices are in a range of step 1."""
        return self.count_below(indices.stop) - self.count_below(indices.start)

    def missing(self, indices: range) -> Iterator[int]:
        """Yield what is in a range of step 1 and not in the set, in order."""
        index = indices.start
        for place in range(max(0, bisect_right(self._starts, index) - 1), len(self._starts)):
            yield from range(index, min(self._starts[place], indices.stop))
            index = max(index, self._ends[place])
            if index >= indices.stop:
                return
        yield from range(index, indices.stop)
