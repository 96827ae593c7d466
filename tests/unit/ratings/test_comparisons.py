from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ratings.comparisons import (
    alike_groups,
    difference_variances,
    group_labels,
    los_matrix,
    quantile,
    superiority,
    tukey_marks,
)


def test_quantiles_are_those_of_the_textbooks() -> None:
    assert quantile(math.inf) == pytest.approx(1.959964, abs=1e-6)
    assert quantile(4) == pytest.approx(2.776445, abs=1e-6)
    assert quantile(19) == pytest.approx(2.093024, abs=1e-6)


@pytest.mark.parametrize(
    ("bots", "critical"), [(2, 1.96), (4, 2.57), (8, 3.03), (10, 3.16), (12, 3.27), (20, 3.54)]
)
def test_tukey_marks_begin_at_the_critical_distance(bots: int, critical: float) -> None:
    """Critical values of independent bots with equal errors, as tables of the range have them."""
    variances = 1 - np.eye(bots)
    elo = np.zeros(bots)
    elo[0] = critical - 0.01
    assert not tukey_marks(elo, variances).any()
    elo[0] = critical + 0.01
    marks = tukey_marks(elo, variances)
    assert marks[0, 1:].all()
    assert marks[1:, 0].all()
    assert not marks[1:, 1:].any()


def test_few_openings_ask_for_more() -> None:
    elo, variances = np.array([2.1, 0.0]), 1 - np.eye(2)
    assert tukey_marks(elo, variances).any()
    assert not tukey_marks(elo, variances, degrees=5).any()


def test_superiority_is_joint() -> None:
    """Two bots with large common errors: the difference is known better than either."""
    elo = np.array([10.0, 0.0])
    covariance = np.array([[100.0, 96.0], [96.0, 100.0]])
    los = los_matrix(elo, difference_variances(covariance))
    assert los[0, 1] == pytest.approx(0.5 * math.erfc(-10 / math.sqrt(8) / math.sqrt(2)))
    assert los[1, 0] == pytest.approx(1 - los[0, 1])
    assert los[0, 0] == 0.5


def test_nothing_known_is_a_half() -> None:
    assert superiority(np.array([3.0]), np.array([0.0])).tolist() == [0.5]


def test_letters_join_neighbours() -> None:
    differ = np.array(
        [[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]], dtype=np.bool_
    )  # fmt: skip
    assert group_labels(alike_groups(differ)) == ("a", "ab", "b", "c")


def test_no_bots_no_groups() -> None:
    assert alike_groups(np.zeros((0, 0), dtype=np.bool_)) == ()
    assert alike_groups(np.zeros((1, 1), dtype=np.bool_)) == ((0,),)
    assert alike_groups(np.zeros((2, 2), dtype=np.bool_)) == ((0,), (0,))


def test_labels_are_short() -> None:
    assert group_labels(((0, 1, 2, 3), (1, 2), (0, 2, 3, 4), (0, 2))) == (
        "a-d",
        "bc",
        "a,c-e",
        "ac",
    )
    assert group_labels(((0, 1, 2), (26,), (0, 25))) == ("1-3", "27", "1,26")
    assert group_labels(()) == ()


@given(
    st.integers(2, 9).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n * n - 1))))
)
def test_a_group_is_shared_exactly_by_bots_that_do_not_differ(
    drawn: tuple[int, set[int]],
) -> None:
    bots, cells = drawn
    differ = np.zeros((bots, bots), dtype=np.bool_)
    for cell in cells:
        one, other = divmod(cell, bots)
        if one != other:
            differ[one, other] = differ[other, one] = True
    groups = alike_groups(differ)
    for one in range(bots):
        assert groups[one]
        for other in range(bots):
            if one != other:
                shares = bool(set(groups[one]) & set(groups[other]))
                assert shares == (not differ[one, other])


def test_labels_of_very_many_groups_name_the_first_and_the_last() -> None:
    many = (tuple(range(0, 60, 2)), (0, 2, 4, 59), (40,))
    assert group_labels(many) == ("1..59", "1,3,5,60", "41")
    every_other = (tuple(range(0, 26, 2)), (0, 1, 2, 25))
    assert group_labels(every_other) == ("a..y", "a-c,z")
    assert max(map(len, group_labels((tuple(range(0, 2000, 3)),)))) <= 12
