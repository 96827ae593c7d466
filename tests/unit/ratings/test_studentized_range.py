from __future__ import annotations

import math

import pytest
from scipy.stats import studentized_range

from harness.ratings.studentized_range import range_quantile


@pytest.mark.parametrize("degrees", [1, 5, 19.9, 20, 23.5, 40, 300, 20_000, math.inf])
@pytest.mark.parametrize("groups", [2, 3, 8, 60, 200, 1000])
def test_it_is_the_quantile_of_scipy(groups: int, degrees: float) -> None:
    expected = float(studentized_range.ppf(0.95, groups, degrees))
    assert range_quantile(0.95, groups, degrees) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("probability", [0.001, 0.5, 0.99, 0.99999])
def test_any_probability(probability: float) -> None:
    for groups, degrees in ((2, 30.0), (20, math.inf), (200, 50.0)):
        found = range_quantile(probability, groups, degrees)
        chance = studentized_range.cdf(found, groups, degrees)
        assert chance == pytest.approx(probability, abs=1e-8)


def test_of_two_it_is_the_quantile_of_the_difference() -> None:
    assert range_quantile(0.95, 2, math.inf) == pytest.approx(1.959963985 * math.sqrt(2), rel=1e-8)
