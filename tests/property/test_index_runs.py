from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.tournament.index_runs import IndexRuns

INDICES = st.sets(st.integers(0, 40))
RANGES = st.builds(lambda start, size: range(start, start + size), *[st.integers(0, 45)] * 2)


@given(INDICES)
def test_it_holds_what_it_was_given(indices: set[int]) -> None:
    runs = IndexRuns(sorted(indices))
    assert len(runs) == len(indices)
    assert {index for index in range(-2, 50) if index in runs} == indices
    assert [runs.count_below(index) for index in range(-2, 50)] == [
        sum(one < index for one in indices) for index in range(-2, 50)
    ]


@given(INDICES, RANGES)
def test_what_is_in_a_range_and_what_is_missing(indices: set[int], wanted: range) -> None:
    runs = IndexRuns(sorted(indices))
    assert runs.count_in(wanted) == len(indices & set(wanted))
    assert list(runs.missing(wanted)) == [index for index in wanted if index not in indices]


@given(st.lists(st.integers(-3, 9), min_size=1))
def test_indices_that_do_not_ascend_from_0_are_refused(indices: list[int]) -> None:
    if indices == sorted(set(indices)) and indices[0] >= 0:
        assert len(IndexRuns(indices)) == len(indices)
        return
    with pytest.raises(ValueError, match="twice, too late, or is negative"):
        IndexRuns(indices)


@pytest.mark.parametrize("index", ["7", b"7", 7.5])
def test_only_whole_numbers_are_indices(index: object) -> None:
    with pytest.raises(TypeError):
        IndexRuns([3, index])  # type: ignore[list-item]


def test_a_long_run_costs_nothing() -> None:
    runs = IndexRuns(range(5, 1_000_005))
    assert len(runs._starts) == 1
    assert next(runs.missing(range(5, 10**18))) == 1_000_005
    assert runs.count_in(range(10**18)) == 1_000_000
