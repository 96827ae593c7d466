from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from harness.ratings.davidson import ELO
from harness.ratings.saturation import Side, saturation_rating
from tests.unit.ratings.oracle import DATA

SEQUENTIAL = json.loads((DATA / "sequential.json").read_text())


@pytest.mark.parametrize("case", SEQUENTIAL["saturation"])
@pytest.mark.parametrize(("key", "chance"), [("rating_p0.5", 0.5), ("bound95", 0.05)])
def test_ratings_are_those_of_the_reference(case: dict[str, Any], key: str, chance: float) -> None:
    opponents = np.array(case["opponents_elo"]) / ELO
    advantage = case["adv"] / ELO
    rating = saturation_rating(
        np.concatenate([opponents - advantage, opponents + advantage]),
        np.array([*case["games_first"], *case["games_second"]], dtype=np.float64),
        case["nu"],
        Side.ABOVE if case["all_wins"] else Side.BELOW,
        chance,
    )
    tolerance = SEQUENTIAL["tolerance"]["saturation_elo"]
    assert rating * ELO == pytest.approx(case[key], abs=tolerance)


def test_ten_wins_against_one_bot_by_hand() -> None:
    rating = saturation_rating(np.array([0.0]), np.array([10.0]), 0.0, Side.ABOVE, 0.05)
    assert 10 * math.log(1 / (1 + math.exp(-rating))) == pytest.approx(math.log(0.05))


def test_below_mirrors_above() -> None:
    gaps, games = np.array([0.3, -1.0]), np.array([4.0, 7.0])
    above = saturation_rating(gaps, games, 0.4, Side.ABOVE, 0.05)
    below = saturation_rating(-gaps, games, 0.4, Side.BELOW, 0.05)
    assert below == pytest.approx(-above)
