from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from harness.ratings.counts import FloatArray, GameCounts, PairingCount
from harness.ratings.davidson import ELO, DavidsonFit, fit, is_advantage_identified
from tests.unit.ratings.oracle import rows_of, table_cases, tolerances

CASES = table_cases()
TOLERANCES = tolerances()


def _fitted(case: dict[str, Any], virtual_draws: float) -> DavidsonFit:
    model = fit(GameCounts.from_rows(rows_of(case), case["players"]), virtual_draws=virtual_draws)
    assert model is not None
    return model


def _anchored(model: DavidsonFit, anchor: int) -> tuple[FloatArray, FloatArray]:
    bots = len(model.ratings)
    shift = np.eye(bots)
    shift[:, anchor] -= 1
    covariance = shift @ model.covariance[:bots, :bots] @ shift.T
    return ELO * (model.ratings - model.ratings[anchor]), ELO**2 * covariance


def _los(elo: FloatArray, covariance: FloatArray, one: int, other: int) -> float:
    variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
    return 0.5 * math.erfc((elo[other] - elo[one]) / math.sqrt(2 * variance))


@pytest.mark.parametrize(
    ("case_id", "key"),
    [
        (case_id, key)
        for case_id, case in CASES.items()
        for key in ("davidson_ml", "davidson_map_virtual1", "davidson_ml_anchor0")
        if key in case["oracle"]
    ],
)
def test_fit_is_that_of_the_oracle(case_id: str, key: str) -> None:
    case = CASES[case_id]
    expected = case["oracle"][key]
    model = _fitted(case, virtual_draws=1.0 if key == "davidson_map_virtual1" else 0.0)
    bots = len(case["players"])
    if key == "davidson_ml_anchor0":
        elo, covariance = _anchored(model, 0)
    else:
        elo, covariance = ELO * model.ratings, ELO**2 * model.covariance[:bots, :bots]
    elo_tolerance, se_tolerance = TOLERANCES["oracle_elo_abs"], TOLERANCES["oracle_se_rel"]
    assert model.has_converged
    assert elo == pytest.approx(expected["elo"], abs=elo_tolerance)
    assert ELO * model.advantage == pytest.approx(expected["adv"], abs=elo_tolerance)
    assert model.nu == pytest.approx(expected["nu"], abs=1e-8)
    assert model.draw_rate == pytest.approx(expected["draw_rate_equal"], abs=1e-8)
    assert elo * model.elo_scale / ELO == pytest.approx(
        expected["elo_score_scale"], abs=elo_tolerance
    )
    assert np.sqrt(covariance.diagonal()) == pytest.approx(
        expected["se_elo"], rel=se_tolerance, abs=1e-6
    )
    assert covariance == pytest.approx(np.array(expected["cov"]), rel=1e-6, abs=1e-5)
    assert ELO * math.sqrt(model.covariance[bots, bots]) == pytest.approx(
        expected["se_adv"], rel=se_tolerance
    )
    assert model.log_likelihood == pytest.approx(expected["loglik"], abs=1e-6)
    for one in range(bots):
        for other in range(bots):
            if one != other:
                los = _los(elo, covariance, one, other)
                assert los == pytest.approx(
                    expected["los"][one][other], abs=TOLERANCES["oracle_los_abs"]
                )


def test_no_decisive_game_is_no_fit() -> None:
    assert fit(GameCounts.from_rows([PairingCount("a", "b", 0, 5, 0)])) is None


def test_one_colour_only_leaves_the_first_move_out() -> None:
    counts = GameCounts.from_rows([PairingCount("a", "b", 6, 0, 2)])
    model = fit(counts)
    assert model is not None
    assert not model.has_advantage
    assert model.advantage == 0
    assert model.covariance[2, 2] == 0
    assert model.ratings[0] > 0


@pytest.mark.parametrize(
    ("pairings", "is_identified"),
    [
        (["ab"], False),
        (["ab", "ba"], True),
        (["ab", "bc"], False),
        (["ab", "bc", "ca"], True),
        (["ab", "bc", "ac"], True),
        (["ab", "cb", "cd"], False),
        (["ab", "cb", "cd", "ad"], False),
    ],
)
def test_the_first_move_is_identified_by_cycles(pairings: list[str], is_identified: bool) -> None:
    rows = [PairingCount(pair[0], pair[1], 3, 1, 2) for pair in pairings]
    assert is_advantage_identified(GameCounts.from_rows(rows)) is is_identified


@pytest.mark.parametrize(
    "rows",
    [
        [PairingCount("a", "b", 10, 0, 0), PairingCount("b", "a", 0, 0, 10)],
        [PairingCount("a", "b", 10, 0, 0), PairingCount("b", "a", 10, 0, 0)],
        [PairingCount("a", "b", 5, 5, 0)],
        [PairingCount("a", "b", 5, 0, 0), PairingCount("b", "c", 5, 0, 0)],
    ],
)
def test_where_nu_has_no_finite_estimate_it_is_held(rows: list[PairingCount]) -> None:
    model = fit(GameCounts.from_rows(rows))
    assert model is not None
    assert not model.has_nu
    assert model.has_converged
    draws = sum(row.draws for row in rows) + len({name for row in rows for name in row[:2]}) / 2
    decisive = sum(row.wins + row.losses for row in rows)
    assert model.nu == pytest.approx(2 * draws / decisive)
    assert np.abs(model.ratings).max() < 10


def test_a_single_loss_gives_nu_an_estimate() -> None:
    rows = [PairingCount("a", "b", 10, 0, 1), PairingCount("b", "a", 0, 0, 10)]
    model = fit(GameCounts.from_rows(rows))
    assert model is not None
    assert model.has_nu


def test_a_million_games_converge() -> None:
    rows = [
        PairingCount("a", "b", 1_000_000, 0, 0),
        PairingCount("b", "a", 0, 0, 1_000_000),
        PairingCount("b", "c", 1, 1, 1_000_000),
    ]
    model = fit(GameCounts.from_rows(rows))
    assert model is not None
    assert model.has_converged


def _both_sides(pair: str, wins: int, draws: int, losses: int) -> list[PairingCount]:
    """The same results on both sides, as the first of the pair sees them."""
    first, second = pair[0], pair[1]
    return [
        PairingCount(first, second, wins, draws, losses),
        PairingCount(second, first, losses, draws, wins),
    ]


def test_draws_between_far_bots_bound_nu() -> None:
    """a beats b and b beats c, always, but a and c draw: "the better wins or draws" is not it."""
    rows = [*_both_sides("ab", 50, 0, 0), *_both_sides("bc", 50, 0, 0)]
    assert not _fit(rows).has_nu
    model = _fit([*rows, *_both_sides("ac", 0, 50, 0)])
    assert model.has_nu
    assert model.has_converged
    assert model.nu == pytest.approx(1.446, abs=1e-3)
    assert model.covariance[-1, -1] > 0


def test_draws_between_near_bots_do_not() -> None:
    rows = [*_both_sides("ab", 50, 0, 0), *_both_sides("cb", 50, 0, 0)]
    assert not _fit([*rows, *_both_sides("ac", 0, 50, 0)]).has_nu


def test_virtual_draws_of_the_side_that_was_not_played_bound_nu_too() -> None:
    """r_a - r_b = r_b - r_c = -4 t and an advantage of 6 t explain the games, not draws of b, a."""
    rows = [PairingCount("a", "b", 9, 0, 0), PairingCount("b", "c", 9, 0, 0)]
    model = _fit([*rows, PairingCount("a", "c", 0, 0, 9)])
    assert model.has_advantage
    assert model.has_nu
    assert model.has_converged


def test_what_rounding_hides_is_said_not_to_converge() -> None:
    """One virtual draw against half a million wins: the last steps are lost in rounding."""
    assert not _fit([PairingCount("a", "b", 629_662, 0, 0)]).has_converged


def _fit(rows: list[PairingCount]) -> DavidsonFit:
    model = fit(GameCounts.from_rows(rows))
    assert model is not None
    return model
