from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint, minimize
from scipy.special import log_softmax, softmax

from harness.ratings.match import NELO, elo_to_score, regularised
from harness.ratings.sprt import (
    Design,
    EloModel,
    SequentialTest,
    Verdict,
    WaldBounds,
    approximate_log_likelihood_ratio,
    bayesian_ratio,
    brownian_design,
    cutechess_ratio,
    design,
    fitted_draw_elo,
    follow,
    log_likelihood_ratio,
    wald_bounds,
)
from tests.unit.ratings.oracle import DATA

PENTANOMIAL = json.loads((DATA / "pentanomial.json").read_text())
TRINOMIAL = json.loads((DATA / "trinomial.json").read_text())
SEQUENTIAL = json.loads((DATA / "sequential.json").read_text())
TOLERANCE = PENTANOMIAL["tolerance"]
OURS = TOLERANCE["ours_vs_any_correct_code"]
PRINTED = 1e-11
"""The references have twelve digits."""

PAIRS = [
    pytest.param(case, row, id=f"{case['id']}-{row['model']}-{row['elo0']}-{row['elo1']}")
    for case in PENTANOMIAL["cases"]
    for row in case["sprt"]
]
GAMES = [pytest.param(case, id=case["id"]) for case in TRINOMIAL["cases"]]
PLAYED = [pytest.param(case, id=case["id"]) for case in TRINOMIAL["cases"] if "fishtest" in case]


def _check_fastchess(found: float, expected: float) -> None:
    tolerance = TOLERANCE["vs_fastchess"]
    assert found == pytest.approx(
        expected, rel=tolerance["llr_rel"], abs=tolerance["llr_abs_floor"]
    )


@pytest.mark.parametrize(("case", "row"), PAIRS)
def test_pairs_have_the_ratio_of_all_references(case: dict[str, Any], row: dict[str, Any]) -> None:
    counts = case["counts_LL_LD_mid_WD_WW"]
    test = SequentialTest(
        row["elo0"], row["elo1"], case["alpha"], case["beta"], EloModel(row["model"])
    )
    assert list(test.bounds) == pytest.approx(case["bounds"], abs=OURS["bounds"], rel=PRINTED)
    exact = log_likelihood_ratio(test, counts)
    approximate = approximate_log_likelihood_ratio(test, counts)
    assert exact == pytest.approx(row["llr_exact"], abs=OURS["llr_exact_abs"], rel=PRINTED)
    if "note" in row:
        assert (exact, approximate, test.bounds.verdict(exact)) == (0, 0, Verdict.CONTINUE)
        return
    assert approximate == pytest.approx(row["llr_alt"], abs=OURS["llr_alt_abs"], rel=PRINTED)
    assert test.bounds.verdict(exact) is Verdict(row["decision"])
    fishtest = TOLERANCE["vs_fishtest"]["llr_rel"]
    assert exact == pytest.approx(row["fishtest_llr"], rel=fishtest)
    if "fishtest_llr_alt" in row:
        assert approximate == pytest.approx(row["fishtest_llr_alt"], rel=fishtest)
    _check_fastchess(exact, row["fastchess_llr"])


def _test(case: dict[str, Any], model: str) -> SequentialTest:
    return SequentialTest(case["elo0"], case["elo1"], case["alpha"], case["beta"], EloModel(model))


def _counts(case: dict[str, Any]) -> tuple[int, int, int]:
    return case["L"], case["D"], case["W"]


@pytest.mark.parametrize("case", GAMES)
def test_games_have_the_ratio_of_the_reference(case: dict[str, Any]) -> None:
    for key, expected in case["llr"].items():
        if key == "cutechess":
            found = cutechess_ratio(*_counts(case), case["elo0"], case["elo1"])
            assert found == pytest.approx(expected, abs=TOLERANCE["vs_cutechess"]["llr_abs"])
        elif key == "all_models":
            tests = [_test(case, model.value) for model in EloModel]
            ratios = [log_likelihood_ratio(test, _counts(case)) for test in tests]
            ratios += [approximate_log_likelihood_ratio(test, _counts(case)) for test in tests]
            assert ratios == [expected] * 6
            assert cutechess_ratio(*_counts(case), case["elo0"], case["elo1"]) == expected
        elif key.endswith("_alt"):
            found = approximate_log_likelihood_ratio(_test(case, key[:-4]), _counts(case))
            assert found == pytest.approx(expected, abs=OURS["llr_alt_abs"], rel=PRINTED)
        else:
            found = log_likelihood_ratio(_test(case, key), _counts(case))
            assert found == pytest.approx(expected, abs=OURS["llr_exact_abs"])


@pytest.mark.parametrize("case", PLAYED)
def test_games_have_the_ratio_of_fishtest(case: dict[str, Any]) -> None:
    expected, relative = case["fishtest"], TOLERANCE["vs_fishtest"]["llr_rel"]
    for model in ("logistic", "normalized"):
        found = log_likelihood_ratio(_test(case, model), _counts(case))
        # its logarithms are rounded a game: 1e-16 times 141152 games in t13-big
        assert found == pytest.approx(expected[model], rel=relative, abs=5e-11)
    counts = regularised(_counts(case))
    draw_elo = fitted_draw_elo(counts)
    assert draw_elo == pytest.approx(expected["drawelo"], rel=relative)
    legacy = bayesian_ratio(counts, case["elo0"], case["elo1"], draw_elo)
    assert legacy == pytest.approx(expected["legacy_bayeselo_regularised"], rel=relative)


def test_a_ratio_near_zero_of_many_games_keeps_its_digits() -> None:
    """Case t13-big; expected in 40 digits by bisection."""
    test = SequentialTest(0, 2, model=EloModel.LOGISTIC)
    found = log_likelihood_ratio(test, (36027, 68692, 36433))
    assert found == pytest.approx(-0.00298197721914566237, rel=1e-10)


@pytest.mark.parametrize("case", PLAYED)
def test_games_have_the_ratio_of_fastchess(case: dict[str, Any]) -> None:
    for model, row in case["fastchess"].items():
        if model == "bayesian" and not (case["W"] and case["L"]):
            assert row["llr"] == 0  # its way out; ours stays a number
            continue
        _check_fastchess(log_likelihood_ratio(_test(case, model), _counts(case)), row["llr"])


@pytest.mark.parametrize("case", PLAYED)
def test_cutechess_decides_the_same(case: dict[str, Any]) -> None:
    expected, tolerance = case["cutechess"], TOLERANCE["vs_cutechess"]["llr_abs"]
    bounds = wald_bounds(case["alpha"], case["beta"])
    assert list(bounds) == pytest.approx(case["bounds"], abs=OURS["bounds"], rel=PRINTED)
    assert list(bounds) == pytest.approx([expected["lBound"], expected["uBound"]], rel=PRINTED)
    ratio = cutechess_ratio(*_counts(case), case["elo0"], case["elo1"])
    assert ratio == pytest.approx(expected["llr"], abs=tolerance)
    verdicts = [Verdict.CONTINUE, Verdict.H0, Verdict.H1]
    assert bounds.verdict(ratio) is verdicts[int(expected["result_0cont_1H0_2H1"])]


@pytest.mark.parametrize("row", SEQUENTIAL["design_nelo_pentanomial"])
def test_design_is_that_of_the_reference(row: dict[str, float]) -> None:
    test = SequentialTest(row["nelo0"], row["nelo1"], row["alpha"], row["beta"])
    relative = SEQUENTIAL["tolerance"]["design_rel"]
    for found in (
        design(test, row["nelo_true"]),
        brownian_design(row["t_true"], row["t0"], row["t1"], test.bounds),
    ):
        assert found == pytest.approx((row["p_accept_H1"], row["expected_units"]), rel=relative)


def test_design_is_smooth_where_nothing_drifts() -> None:
    bounds = wald_bounds(0.1, 0.02)
    still = brownian_design(0.04, 0.0, 0.08, bounds)
    for drift in (1e-12, -1e-12, 1e-9, -1e-9):
        assert brownian_design(0.04 + drift, 0.0, 0.08, bounds) == pytest.approx(still, rel=1e-6)


def test_huge_effects_are_decided_at_once() -> None:
    assert design(SequentialTest(), 1e7) == pytest.approx((1, 0), abs=1e-2)
    assert design(SequentialTest(), -1e7) == pytest.approx((0, 0), abs=1e-2)
    assert isinstance(design(SequentialTest(), 1e7), Design)


def test_only_normalized_tests_have_a_design() -> None:
    with pytest.raises(ValueError, match="normalized"):
        design(SequentialTest(model=EloModel.LOGISTIC), 0)


@pytest.mark.parametrize(
    "numbers",
    [(5, 5), (5, 0), (0, 5, 0.0), (0, 5, 0.5, 0.5), (0, 2001), (0, math.inf), (0, math.nan)],
)
def test_impossible_tests_are_refused(numbers: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"elo0 below elo1|error rates"):
        SequentialTest(*numbers)


def test_pairs_have_no_bayesian_model() -> None:
    with pytest.raises(ValueError, match="single games"):
        log_likelihood_ratio(SequentialTest(model=EloModel.BAYESIAN), [1, 2, 3, 2, 1])


@pytest.mark.parametrize("counts", [[4, 9, 20, 12, 6], [1, 2, 3, 1, 9]])
@pytest.mark.parametrize("nelo", [-50.0, 10.0, 150.0])
def test_the_likeliest_law_is_that_of_a_general_optimiser(counts: list[int], nelo: float) -> None:
    """Laws are optimised as such, on the constraint mean - 1/2 = effect x deviation."""
    weights, scores = np.array(counts, dtype=np.float64), np.linspace(0, 1, 5)
    effect = nelo * math.sqrt(2) / NELO

    def surplus(logits: Any) -> Any:
        law = softmax(logits)
        mean = law @ scores
        return mean - 0.5 - effect * np.sqrt(law @ (scores - mean) ** 2)

    def loss(logits: Any) -> Any:
        return -(weights @ log_softmax(logits))

    best = minimize(
        loss,
        np.log(weights),
        constraints=NonlinearConstraint(surplus, 0.0, 0.0),
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert best.success
    law = weights / weights.sum()
    # against the law as seen, whose likelihood needs no constraint
    seen = float((law @ scores - 0.5) / math.sqrt(law @ scores**2 - (law @ scores) ** 2))
    low, high = sorted((nelo, seen * NELO / math.sqrt(2)))
    ratio = log_likelihood_ratio(SequentialTest(low, high), counts)
    ratio *= 1 if high == nelo else -1
    assert ratio == pytest.approx(-best.fun - float(weights @ np.log(law)), abs=1e-5)


def test_bounds_beyond_every_bot_still_have_a_ratio() -> None:
    """A law of any effect is found, also where the uniform law cannot be tilted to it."""
    for counts in ([0, 0, 0, 0, 50], [50, 0, 0, 0, 0], [10, 10, 10, 10, 10]):
        for elo0, elo1 in ((-900, 900), (400, 2000), (-2000, -400)):
            assert math.isfinite(log_likelihood_ratio(SequentialTest(elo0, elo1), counts))


def test_a_law_with_a_barely_sloping_cell_is_found() -> None:
    tiny = SequentialTest(1e-310, 20)
    assert log_likelihood_ratio(tiny, [0, 0, 0, 0, 1]) == pytest.approx(
        log_likelihood_ratio(SequentialTest(0, 20), [0, 0, 0, 0, 1])
    )


def test_the_first_crossing_stands() -> None:
    test = SequentialTest(0, 50)
    scores = np.array([1.0, 0.75, 0.5] * 40)
    state = follow(test, scores)
    assert state.verdict is Verdict.H1
    assert state.units < len(scores)
    assert state.llr >= test.bounds.upper
    before = follow(test, scores[: state.units - 1])
    assert before.verdict is Verdict.CONTINUE
    assert before.llr < test.bounds.upper
    lost = np.concatenate([scores[: state.units], np.zeros(200)])
    assert follow(test, lost) == state


def test_no_pairs_decide_nothing() -> None:
    assert follow(SequentialTest(), np.array([])) == (Verdict.CONTINUE, 0, 0)


def test_bounds_are_walds() -> None:
    assert wald_bounds(0.05, 0.05) == pytest.approx((-math.log(19), math.log(19)))
    bounds = WaldBounds(-1, 2)
    verdicts = [bounds.verdict(llr) for llr in (-1, -0.9, 1.9, 2)]
    assert verdicts == [Verdict.H0, Verdict.CONTINUE, Verdict.CONTINUE, Verdict.H1]


def test_logistic_hypotheses_are_those_of_the_score_curve() -> None:
    """Two cells only: the likeliest law of a mean is that mean, so the ratio is the binomial."""
    test = SequentialTest(-30, 60, model=EloModel.LOGISTIC)
    score0, score1 = elo_to_score(-30), elo_to_score(60)
    expected = 700 * math.log(score1 / score0) + 300 * math.log((1 - score1) / (1 - score0))
    assert log_likelihood_ratio(test, [300, 0, 700]) == pytest.approx(expected, abs=1e-2)
