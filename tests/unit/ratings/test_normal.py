from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from harness.ratings.comparisons import superiority
from harness.ratings.match import match_estimate
from harness.ratings.normal import Z95, normal_cdf, normal_quantile, superiority_chance


def test_the_normal_distribution_is_that_of_the_textbooks() -> None:
    assert pytest.approx(norm.ppf(0.975), rel=1e-15) == Z95
    for z in (-8.0, -1.0, 0.0, 0.3, 2.5):
        assert normal_cdf(z) == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), rel=1e-12)
    assert normal_quantile(0.95) == pytest.approx(1.6448536269514722, rel=1e-14)


@pytest.mark.parametrize("units", [6, 29, 30, 200])
def test_tables_and_matches_change_to_the_normal_law_at_thirty(units: int) -> None:
    """Below 30 clusters, or units, the variance is not known well: Student's t."""
    ratio = 2.0
    law = norm.cdf(ratio) if units >= 30 else student.cdf(ratio, units - 1)
    assert superiority_chance(ratio, units - 1) == pytest.approx(law, rel=1e-12)
    los = superiority(np.array([ratio * 3]), np.array([9.0]), units - 1)
    assert los == pytest.approx([law], rel=1e-12)


@pytest.mark.parametrize("units", [28, 30])
def test_a_match_has_the_same_rule(units: int) -> None:
    scores = np.tile([0.5, 0.75], units // 2)
    divisor = units if units >= 30 else units - 1
    ratio = 0.125 * math.sqrt(divisor) / 0.125
    law = norm if units >= 30 else student(units - 1)
    assert match_estimate(scores).los == pytest.approx(law.cdf(ratio), rel=1e-12)
