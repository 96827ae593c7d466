from __future__ import annotations

import json
import math
from typing import Any

import pytest

from harness.ratings.effort import pairs_to_reach
from tests.unit.ratings.oracle import DATA

CASES = json.loads((DATA / "sequential.json").read_text())["los_units"]


@pytest.mark.parametrize("case", CASES)
def test_units_on_average_are_those_of_the_reference(case: dict[str, Any]) -> None:
    found = pairs_to_reach(case["mu"], case["sigma"], los=case["p"], power=0.5)
    if case["units"] == "inf":
        assert found is None
    else:
        assert found == pytest.approx(case["units"], rel=1e-9)


def test_power_by_hand() -> None:
    z95, z80 = 1.6448536269514722, 0.8416212335729143
    found = pairs_to_reach(0.54, 0.2)
    assert found == pytest.approx(((z95 + z80) * 5) ** 2, rel=1e-12)


def test_then_the_likelihood_is_reached_in_four_of_five_matches() -> None:
    pairs = pairs_to_reach(0.53, 0.3, los=0.975, power=0.8)
    assert pairs is not None
    needed = 0.5 + 1.959963984540054 * 0.3 / math.sqrt(pairs)
    distance = (needed - 0.53) / (0.3 / math.sqrt(pairs))
    assert 0.5 * math.erfc(distance / math.sqrt(2)) == pytest.approx(0.8)


def test_the_worse_bot_needs_as_many() -> None:
    assert pairs_to_reach(0.45, 0.3) == pytest.approx(pairs_to_reach(0.55, 0.3))
    assert pairs_to_reach(0.45, 0.3, los=0.05) == pytest.approx(pairs_to_reach(0.55, 0.3))


def test_equals_and_unknown_deviations_have_no_number() -> None:
    assert pairs_to_reach(0.5, 0.3) is None
    assert pairs_to_reach(1.0, 0.0) is None


def test_what_holds_already_needs_nothing() -> None:
    assert pairs_to_reach(0.6, 0.3, los=0.5, power=0.3) == 0


@pytest.mark.parametrize(("los", "power"), [(1.0, 0.8), (0.0, 0.8), (0.9, 1.0), (math.nan, 0.5)])
def test_certainty_is_refused(los: float, power: float) -> None:
    with pytest.raises(ValueError, match="probabilities"):
        pairs_to_reach(0.6, 0.3, los=los, power=power)
