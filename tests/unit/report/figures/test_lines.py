from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.figures.lines import line_style, lonely, moved_apart, named_places


def test_no_two_styles_of_a_figure_are_the_same_in_grey() -> None:
    styles = [line_style(place) for place in range(40)]
    assert len({(look.dashes, look.marker) for look in styles}) == 40


def test_of_many_bots_both_ends_are_named() -> None:
    assert named_places(20) == list(range(20))
    assert named_places(21) == [*range(10), *range(11, 21)]


def test_labels_that_have_room_stay() -> None:
    assert moved_apart(np.array([0.9, 0.1, 0.5]), 0.2).tolist() == pytest.approx([0.9, 0.1, 0.5])


def test_labels_at_one_place_spread_around_it() -> None:
    moved = moved_apart(np.array([0.5, 0.5, 0.5]), 0.1)
    assert moved.tolist() == pytest.approx([0.4, 0.5, 0.6])


@given(st.lists(st.floats(-2, 3), min_size=1, max_size=30), st.floats(0, 0.2))
def test_labels_keep_their_order_their_distance_and_the_frame(
    wanted: list[float], gap: float
) -> None:
    moved = moved_apart(np.array(wanted), gap)
    order = np.argsort(wanted, kind="stable")
    distances = np.diff(moved[order])
    assert (distances >= min(gap, 1 / max(len(wanted) - 1, 1)) - 1e-9).all()
    assert moved.min() > -1e-9
    assert moved.max() < 1 + 1e-9


def test_a_value_between_gaps_is_lonely() -> None:
    nan = np.nan
    found = lonely(np.array([1, nan, 2, nan, 3, 4]))
    assert found.tolist() == [True, False, True, False, False, False]
