from __future__ import annotations

import dataclasses
import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, norm

from harness.ratings.analysis import analyse
from harness.ratings.counts import BoolArray, GameCounts
from harness.ratings.davidson import ELO, DavidsonFit, Model, fit
from harness.ratings.diagnostics import (
    Diagnostics,
    Transitivity,
    diagnose,
    distinct_games,
    efforts,
    opening_scores,
    transitivity,
)
from harness.ratings.results import GameResults
from tests.unit.ratings.oracle import clustered, games, results_of
from tests.unit.report.builders import played

CASES = {case["id"][:3]: case for case in clustered()["cases"]}
Z95, Z80 = 1.6448536269514722, 0.8416212335729143


def _fitted(counts: GameCounts) -> DavidsonFit:
    found = fit(counts)
    assert found is not None
    return found


def _diagnosed_by(model: DavidsonFit, results: GameResults) -> Diagnostics:
    return diagnose(model, results, results.counts(), results.opening_rows())


def _diagnosed(results: GameResults) -> Diagnostics:
    return _diagnosed_by(_fitted(results.counts()), results)


def _tested(results: GameResults) -> Transitivity | None:
    return transitivity(_fitted(results.counts()), results.counts(), results.opening_rows())


def _equals(bots: int, *, advantage: float = 0.0, nu: float = 0.0) -> DavidsonFit:
    """The fit of equal bots, not fitted to anything."""
    return DavidsonFit(
        ratings=np.zeros(bots),
        advantage=advantage,
        nu=nu,
        covariance=np.zeros((bots + 2, bots + 2)),
        log_likelihood=0.0,
        steps=1,
        has_converged=True,
        has_advantage=True,
        has_nu=True,
        model=Model.DAVIDSON,
        free=np.ones(bots + 2, dtype=np.bool_),
    )


# One scale of strength


def _by_definition(case: dict[str, Any]) -> tuple[dict[tuple[int, int], float], float, float]:
    """Residual points by pairing, dispersion and statistic, game by game from the oracle's fit.

    Of the statistic and the dispersion, pairings of bots of the core.
    """
    found = case["expected"]
    core = set(found["core"])
    unit = ELO * found["scale"]
    residuals: dict[tuple[int, int], dict[int, float]] = {}
    variance: dict[tuple[int, int], float] = {}
    for first, second, result, _, cluster, _ in case["games"]:
        elo = found["elo_score_scale"]
        x = (elo[first] - elo[second] + found["adv"]) / unit
        weights = math.exp(x / 2), found["nu"], math.exp(-x / 2)
        win, draw, loss = (weight / sum(weights) for weight in weights)
        mean = win + draw / 2
        points = (2 - result) / 2
        key = min(first, second), max(first, second)
        clusters = residuals.setdefault(key, {})
        sign = 1 if first == key[0] else -1
        clusters[cluster] = clusters.get(cluster, 0.0) + sign * (points - mean)
        spread = win + draw / 4 - mean**2
        assert 0 < spread <= (win + loss) / 4 + 1e-12
        variance[key] = variance.get(key, 0.0) + spread
    inside = [key for key in residuals if core.issuperset(key)]
    empirical = sum(
        len(residuals[key]) * np.var(list(residuals[key].values()), ddof=1).item() for key in inside
    )
    dispersion = empirical / sum(variance[key] for key in inside)
    total = {key: sum(own.values()) for key, own in residuals.items()}
    statistic = sum(total[key] ** 2 / (dispersion * variance[key]) for key in inside)
    return total, dispersion, statistic


@pytest.mark.parametrize("case_id", CASES)
def test_the_test_of_one_scale_is_its_definition(case_id: str) -> None:
    case = CASES[case_id]
    total, dispersion, statistic = _by_definition(case)
    for one, other, residual, _ in case["expected"]["intransitivity"][
        "pairs_i_j_obs_minus_exp_score_gradient_z"
    ]:
        assert total[one, other] == pytest.approx(residual, abs=1e-6)
    found = _tested(results_of(case))
    assert found is not None
    assert found.dispersion == pytest.approx(dispersion, rel=1e-6)
    assert found.statistic == pytest.approx(statistic, rel=1e-6)
    core = case["expected"]["core"]
    assert found.degrees == len([key for key in total if set(key) <= set(core)]) - (len(core) - 1)
    assert found.chance == pytest.approx(float(chi2.sf(statistic, found.degrees)), rel=1e-4)


def test_the_planted_cycle_is_found_and_its_pairings_named() -> None:
    found = _tested(results_of(CASES["r03"]))
    assert found is not None
    assert found.is_violated
    assert found.statistic == pytest.approx(85, abs=0.5)
    assert found.chance == pytest.approx(4e-16, rel=0.1)
    named = {(one.bot, one.opponent): one for one in found.residuals}
    # 0 beats 1 beats 2 beats 3 beats 4 beats 0, beyond their strength
    cycle = {(0, 1): 1, (1, 2): 1, (2, 3): 1, (3, 4): 1, (0, 4): -1}
    assert {(int(one[3:]), int(other[3:])) for one, other in named} == set(cycle)
    for (one, other), sign in cycle.items():
        residual = named[f"bot{one:02}", f"bot{other:02}"]
        assert math.copysign(1, residual.z) == sign
        assert math.copysign(1, residual.points - residual.expected) == sign
        assert residual.games == 80
    sizes = [abs(one.z) for one in found.residuals]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] > 2.8  # Bonferroni for ten pairings


@pytest.mark.parametrize("case_id", ["r01", "r02", "r04"])
def test_transitive_cases_are_not_flagged(case_id: str) -> None:
    found = _tested(results_of(CASES[case_id]))
    assert found is not None
    assert not found.is_violated
    assert found.residuals == ()


def test_transitive_pools_are_flagged_as_often_as_promised() -> None:
    chances = []
    for seed in range(100):
        found = _tested(played("abcd", 20, seed=seed))
        assert found is not None
        chances.append(found.chance)
    # 1 % of the time; more than 5 of 100 would be an accident of one in 1800
    assert sum(chance < 0.01 for chance in chances) <= 5
    assert 0.35 < float(np.mean(chances)) < 0.65


def _cycle(openings: int) -> list[str]:
    texts = []
    for opening in range(openings):
        for one, other in ("ab", "bc", "ca"):
            texts += [f"{one}{other}1{opening:02}", f"{other}{one}0{opening:02}"]
    return texts


def test_bots_that_always_beat_each_other_in_a_circle_are_flagged() -> None:
    """No pairing's score varies between openings: there is no spread to take a dispersion from."""
    found = _tested(games(*_cycle(12), names="abc"))
    assert found is not None
    assert found.dispersion == 1
    # ratings are equal: every pairing is 12 points off, with a variance of 24 / 4, draws aside
    model = _fitted(games(*_cycle(12), names="abc").counts())
    variance = 24 / 4 * 2 / (2 + model.nu)
    assert found.statistic == pytest.approx(3 * 12**2 / variance)
    assert found.is_violated
    assert [one.expected for one in found.residuals] == pytest.approx([12] * 3)
    # with one degree of freedom every pairing tells the whole of it, but for the prior
    size = math.sqrt(found.statistic)
    assert [abs(one.z) for one in found.residuals] == pytest.approx([size] * 3, rel=0.03)
    ladder = [text for text in _cycle(12) if "c" not in text[:2] or "b" in text[:2]]
    ladder += [f"ac1{opening:02}" for opening in range(12)]
    assert _tested(games(*ladder, names="abc")) is None  # no two bots on one scale


@pytest.mark.parametrize(("openings", "is_said"), [(9, False), (10, True)])
def test_nothing_is_said_below_ten_openings_a_pairing(openings: int, is_said: bool) -> None:
    assert (_tested(played("abc", openings)) is not None) == is_said


@pytest.mark.parametrize(("openings", "degrees"), [(9, 2), (10, 3), (0, 2)])
def test_a_pairing_on_few_openings_is_left_out(openings: int, degrees: int) -> None:
    full = played("abcd", 12)
    kept = full.where((full.first + full.second != 1) | (full.opening < openings))
    found = _tested(kept)
    assert found is not None
    assert found.degrees == degrees


def test_a_bot_whose_pairings_are_all_short_counts_for_nothing() -> None:
    full = played("abcd", 12)
    is_short = ((full.first == 3) | (full.second == 3)) & (full.opening >= 9)
    found = _tested(full.where(~is_short))
    assert found is not None
    assert found.degrees == 3 - 2  # a, b and c


def test_each_set_of_joined_bots_fixes_a_zero_of_its_own() -> None:
    """Two triangles, joined by one short pairing: one degree of freedom each."""
    full = played("abcdef", 12, lead=0.2)
    triangle = (full.first < 3) == (full.second < 3)
    bridge = (full.first + full.second == 5) & (full.first % 5 == 0) & (full.opening < 9)
    kept = full.where(triangle | bridge)
    assert {"a", "f"} == {kept.names[bot] for bot in (kept.first[~_same(kept)])}
    found = _tested(kept)
    assert found is not None
    assert found.degrees == 2


def _same(results: GameResults) -> BoolArray:
    return np.asarray((results.first < 3) == (results.second < 3))


def test_saturated_bots_lend_no_degrees_of_freedom() -> None:
    """z of a pairing with a bot that lost everything is 0: it would only dilute the test."""
    full = played("abcd", 20)
    lost = np.where(full.first == 3, 0, 2)
    points = np.where((full.first == 3) | (full.second == 3), lost, full.half_points)
    found = _tested(dataclasses.replace(full, half_points=points.astype(np.int8)))
    alone = _tested(full.among(np.arange(3)))
    assert found is not None
    assert alone is not None
    assert found.degrees == alone.degrees == 1
    assert found.statistic == pytest.approx(alone.statistic, rel=0.05)


def _one_odd_pairing(surplus: int) -> GameResults:
    """Six equal bots, 20 openings each split, but a takes some games of f's."""
    texts = []
    for one, other in combinations("abcdef", 2):
        for opening in range(20):
            legs = (1, 0) if opening % 2 else (0, 1)
            if (one, other) == ("a", "f") and opening < surplus:
                legs = (1, 1)
            texts += [
                f"{one}{other}{legs[0]}{opening:02}",
                f"{other}{one}{1 - legs[1]}{opening:02}",
            ]
    return games(*texts, names="abcdef")


def test_a_single_pairing_stands_out_though_all_together_do_not() -> None:
    listed = {}
    for surplus in range(2, 16):
        model = _fitted(_one_odd_pairing(surplus).counts())
        results = _one_odd_pairing(surplus)
        found = transitivity(model, results.counts(), results.opening_rows())
        assert found is not None
        listed[surplus] = found
    only = [found for found in listed.values() if found.residuals and not found.is_violated]
    assert only
    for found in only:
        (residual,) = found.residuals
        assert (residual.bot, residual.opponent) == ("a", "f")


def test_the_listing_is_bonferronis_on_residuals_adjusted_for_leverage() -> None:
    """z / sqrt(1 - leverage) against the quantile of 1 - .025/6, whatever chi-square says."""
    bound = float(norm.ppf(1 - 0.025 / 6))
    listed, between = 0, 0
    for seed in range(60):
        results = played("abcd", 12, seed=seed)
        model = _fitted(results.counts())
        found = transitivity(model, results.counts(), results.opening_rows())
        assert found is not None
        by_hand = {
            (one, other): _adjusted(model, results, found.dispersion, one, other)
            for one, other in combinations(range(4), 2)
        }
        expected = {
            ("abcd"[one], "abcd"[other]): pytest.approx(z, rel=1e-9)
            for (one, other), z in by_hand.items()
            if abs(z) > bound
        }
        assert {(one.bot, one.opponent): one.z for one in found.residuals} == expected
        listed += len(expected)
        between += sum(1.96 < abs(z) < bound for z in by_hand.values())
    assert listed
    assert between


def _adjusted(
    model: DavidsonFit, results: GameResults, dispersion: float, one: int, other: int
) -> float:
    """The residual of two bots in standard errors, game by game."""
    residual = variance = 0.0
    for first, second, points in zip(
        results.first.tolist(), results.second.tolist(), results.half_points.tolist(), strict=True
    ):
        if {first, second} != {one, other}:
            continue
        x = model.ratings[first] - model.ratings[second] + model.advantage
        weights = math.exp(x / 2), model.nu, math.exp(-x / 2)
        win, draw, _ = (weight / sum(weights) for weight in weights)
        score = win + draw / 2
        residual += (points / 2 - score) * (1 if first == one else -1)
        variance += win + draw / 4 - score**2
    both = model.covariance[[one, other]][:, [one, other]]
    spread = both[0, 0] + both[1, 1] - 2 * both[0, 1]
    return float(residual / math.sqrt(dispersion * variance * (1 - variance * spread)))


def test_pairings_that_cannot_contradict_each_other_are_not_tested() -> None:
    assert _tested(played("ab", 20)) is None
    chain = played("abc", 20)
    assert _tested(chain.where(chain.first + chain.second != 2)) is None


def test_repeated_games_do_not_make_a_cycle() -> None:
    """Every game four times over: points and variance between openings grow alike."""
    once = played("abcd", 20)
    often = GameResults(
        once.names,
        once.openings,
        np.tile(once.first, 4),
        np.tile(once.second, 4),
        np.tile(once.opening, 4),
        np.tile(once.half_points, 4),
        np.tile(once.pair, 4),
        np.tile(once.moves, 4),
    )
    few, many = _tested(once), _tested(often)
    assert few is not None
    assert many is not None
    assert many.dispersion == pytest.approx(4 * few.dispersion, rel=0.02)
    assert many.statistic == pytest.approx(few.statistic, rel=0.1)


# Distinct games


def test_a_game_is_repeated_by_the_same_bots_sides_opening_and_moves() -> None:
    results = games("ab11", "ab11", "ba11", "ab12", "ab01", "ac11", names="abc")
    same = dataclasses.replace(results, moves=np.full(6, 7))
    assert distinct_games(results) == 6
    # ab on opening 1 three times: once new, twice repeated
    assert distinct_games(same) == 4
    found = _diagnosed(dataclasses.replace(results, moves=np.array([7, 7, 7, 7, 8, 7])))
    assert (found.games, found.distinct_games, found.replayed_games) == (6, 5, 1)


def test_deterministic_bots_that_replay_every_pair_are_seen() -> None:
    case = CASES["r02"]
    results = results_of(case)
    key = results.opening * 100 + results.first * 10 + results.second
    found = _diagnosed(dataclasses.replace(results, moves=key))
    assert (found.games, found.distinct_games) == (432, 144)
    assert distinct_games(results.where(np.zeros(432, dtype=np.bool_))) == 0


# Pairs


@pytest.mark.parametrize(
    ("texts", "correlation", "dispersion"),
    [
        # a pair won is 2 x 1/2 above expectation, a split one is not: as much as independent legs
        (["ab11", "ba01", "ab12", "ba12", "ab03", "ba13", "ab04", "ba04"], 0.0, 1.0),
        (["ab11", "ba01", "ab02", "ba12"], 1.0, 2.0),
        (["ab11", "ba11", "ab02", "ba02"], -1.0, 0.0),
        # 3/4, 1/4: legs +1/2 and 0, and 0 and -1/2; mean square 1/8, of the mean 1/16
        (["ab11", "ba=1", "ab=2", "ba12"], 0.0, 0.5),
    ],
)
def test_pair_correlation_by_hand(texts: list[str], correlation: float, dispersion: float) -> None:
    found = _diagnosed_by(_equals(2), games(*texts))
    assert found.pair_correlation == pytest.approx(correlation)
    assert found.pair_dispersion == pytest.approx(dispersion)  # the model: 1/4 a leg, 1/8 a pair


def test_what_strength_explains_is_taken_off_first() -> None:
    """A pair that is split although 3/4 are expected of each game: legs +1/4 and -3/4."""
    strengths = np.array([math.log(3) / 2, -math.log(3) / 2])
    model = dataclasses.replace(_equals(2), ratings=strengths)
    found = _diagnosed_by(model, games("ab11", "ba11", "ab12", "ba12"))
    assert found.pair_dispersion == pytest.approx(0.25**2 / (3 / 16 / 2))
    assert found.pair_correlation == pytest.approx(0.25**2 / ((1 / 16 + 9 / 16) / 4) - 1)


def test_nothing_left_to_explain_is_no_correlation() -> None:
    model = _equals(2, advantage=100.0)
    found = _diagnosed_by(model, games("ab11", "ba11", "ab12", "ba12"))
    assert found.pair_correlation is None


def test_games_without_another_leg_are_in_no_pair() -> None:
    pairs = ["ab11", "ba01", "ab02", "ba12"]
    with_more = _diagnosed_by(_equals(3), games(*pairs, "ab13", "ac14", "cb04", names="abc"))
    assert with_more.pair_correlation == pytest.approx(1)
    assert _diagnosed_by(_equals(2), games("ab11", "ba01", "ab12")).pair_correlation is None
    assert _diagnosed_by(_equals(2), games("ab11", "ba01", "ab12")).pair_dispersion is None


def test_two_legs_of_other_bots_with_the_same_number_are_no_pair() -> None:
    results = games("ab11", "bc11", "ca11", names="abc")
    assert set(results.pair.tolist()) == {0}
    assert _diagnosed_by(_equals(3), results).pair_correlation is None


# Openings


def test_scores_of_openings_are_the_first_movers() -> None:
    results = games("ab1q", "ba1q", "ab=q", "ac0p", "cb1r", names="abc")
    found = opening_scores(_equals(3), results.openings, results.opening_rows())
    assert found.openings == ("p", "q", "r")
    assert found.games.tolist() == [1, 3, 1]
    assert found.score.tolist() == pytest.approx([0, 2.5 / 3, 1])
    assert found.expected.tolist() == pytest.approx([0.5, 0.5, 0.5])


def test_what_is_expected_of_an_opening_follows_who_played_it() -> None:
    strengths = np.array([1.0, 0.0, -1.0])
    model = dataclasses.replace(_equals(3, advantage=0.25), ratings=strengths)
    results = games("ab1p", "ba1p", "ac1q", names="abc")
    found = opening_scores(model, results.openings, results.opening_rows())
    wins = [1 / (1 + math.exp(-x)) for x in (1.25, -0.75, 2.25)]
    assert found.expected.tolist() == pytest.approx([(wins[0] + wins[1]) / 2, wins[2]])


def test_openings_that_were_not_played_are_not_there() -> None:
    results = games("ab1p", "ba1q", "cb1r", names="abc").among(np.array([0, 1]))
    assert results.openings == ("p", "q", "r")
    assert _diagnosed(results).openings.openings == ("p", "q")


@pytest.mark.parametrize(
    ("won", "drawn", "lost", "is_one_sided"),
    [(8, 0, 0, True), (0, 0, 8, True), (7, 0, 0, False), (19, 0, 1, False), (39, 1, 0, True),
     (4, 0, 4, False), (0, 8, 0, False)],
)  # fmt: skip
def test_one_sided_openings(won: int, drawn: int, lost: int, is_one_sided: bool) -> None:
    texts = ["ab1x"] * won + ["ab=x"] * drawn + ["ab0x"] * lost
    found = _diagnosed_by(_equals(2), games(*texts, "ab1y", "ba1y"))
    assert found.one_sided_openings().tolist() == ([0] if is_one_sided else [])


# Who met whom


def test_pairings_never_played_and_connections() -> None:
    found = _diagnosed(games("ab11", "ba11", "bc11", "dc01", "ad12", names="abcd"))
    assert found.unplayed == (("a", "c"), ("b", "d"))
    assert found.components == 3  # a with b; c, that lost to b and beat d; d
    whole = _diagnosed(played("abcd", 4))
    assert (whole.unplayed, whole.components) == ((), 1)


def test_components_by_hand() -> None:
    assert _diagnosed(games("ab11", names="ab")).components == 2
    assert _diagnosed(games("ab11", "bc11", "ca=1", names="abc")).components == 1


# Effort


def test_effort_by_hand() -> None:
    model = dataclasses.replace(_equals(3, advantage=0.5), ratings=np.array([0.2, 0.0, -0.2]))
    (one, other) = efforts(model, ("a", "b", "c"), ("a", "b", "c"), [0.8, 0.9], 1.7)
    # mean of a pair: as first at 0.2 + 0.5, as second at 0.2 - 0.5
    as_first, as_second = 1 / (1 + math.exp(-0.7)), 1 / (1 + math.exp(0.3))
    score = (as_first + as_second) / 2
    variance = 1.7 * (as_first * (1 - as_first) + as_second * (1 - as_second)) / 4
    pairs = (Z95 + Z80) ** 2 * variance / (score - 0.5) ** 2
    assert (one.bot, one.next_bot, one.pairs) == ("a", "b", math.ceil(pairs))
    assert (other.bot, other.next_bot, other.pairs) == ("b", "c", math.ceil(pairs))


def test_effort_is_not_biased_by_lopsided_pairings() -> None:
    """Two near equals among bots that win or lose nearly everything: their own pairs vary more."""
    strengths = np.array([3.0, 0.15, -0.15, -3.0])
    chance = np.random.default_rng(3)
    texts = []
    for one, other in combinations(range(4), 2):
        for opening in range(100):
            for first, second in ((one, other), (other, one)):
                won = 1 / (1 + np.exp(strengths[second] - strengths[first])) > chance.random()
                texts.append(f"{'abcd'[first]}{'abcd'[second]}{int(won)}{opening:02}")
    results = games(*texts, names="abcd")
    model = dataclasses.replace(_equals(4), ratings=strengths)
    dispersion = _diagnosed_by(model, results).pair_dispersion
    assert dispersion == pytest.approx(1, abs=0.15)  # games are independent
    names = tuple("abcd")
    _, near, _ = efforts(model, names, names, [0.5, 0.5, 0.5], dispersion)
    score = 1 / (1 + math.exp(-0.3))
    right = ((Z95 + Z80) / (score - 0.5)) ** 2 * score * (1 - score) / 2
    assert near.pairs == pytest.approx(right, rel=0.15)


def test_effort_is_told_of_neighbours_that_are_not_apart() -> None:
    model = dataclasses.replace(_equals(4), ratings=np.array([0.3, 0.1, -0.1, -0.3]))
    names = tuple("abcd")
    found = efforts(model, names, names, [0.95, 0.949, None], 0.3)
    assert [(one.bot, one.next_bot) for one in found] == [("b", "c")]
    for deviation in (None, 0.0):
        assert efforts(model, names, names, [0.5, 0.5, 0.5], deviation) == ()


def test_equals_need_more_than_a_million_pairs() -> None:
    names = ("a", "b")
    (found,) = efforts(_equals(2), names, names, [0.5], 0.3)
    assert found.pairs is None
    nearly = dataclasses.replace(_equals(2), ratings=np.array([1e-4, -1e-4]))
    (found,) = efforts(nearly, names, names, [0.5], 0.3)
    assert found.pairs is None


# All of it


@pytest.mark.parametrize("model", Model)
def test_both_models_are_diagnosed(model: Model) -> None:
    results = played("abcd", 20)
    fitted = fit(results.counts(), model=model)
    assert fitted is not None
    found = _diagnosed_by(fitted, results)
    assert found.transitivity is not None
    assert 0.3 < found.transitivity.dispersion < 3
    assert not found.transitivity.is_violated
    share = float(found.openings.games @ found.openings.expected) / results.total
    assert share == pytest.approx(float(results.half_points.sum()) / 2 / results.total, abs=0.01)


def test_every_pairing_of_the_residuals_is_a_pairing() -> None:
    found = _tested(results_of(CASES["r03"]))
    assert found is not None
    known = set(combinations([f"bot{number:02}" for number in range(5)], 2))
    assert {(one.bot, one.opponent) for one in found.residuals} <= known


# How much the games are worth


def test_effective_games_are_those_that_give_as_large_errors() -> None:
    results = played("abc", 20)
    assert _diagnosed(results).effective_games is None
    model = _fitted(results.counts())
    sums = results.counts(), results.opening_rows()
    found = diagnose(model, results, *sums, [1.0, 2.0, 3.0])
    assert found.effective_games == results.total / 4
    assert diagnose(model, results, *sums, [50.0]).effective_games == 1


def test_replayed_games_leave_as_many_effective_ones_as_there_were() -> None:
    once = played("abcd", 40)
    often = GameResults(
        once.names,
        once.openings,
        *(
            np.tile(getattr(once, name), 8)
            for name in ("first", "second", "opening", "half_points", "pair", "moves")
        ),
    )
    few, many = analyse(once).pools[0].diagnostics, analyse(often).pools[0].diagnostics
    assert few is not None
    assert many is not None
    assert many.distinct_games == once.total
    assert few.effective_games is not None
    assert many.effective_games == pytest.approx(few.effective_games, rel=0.05)
