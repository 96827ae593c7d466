"""What is reckoned in another way where there are many games: nothing else comes out."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ratings.counts import IntArray
from harness.ratings.davidson import DavidsonFit, fit, outcome_chances
from harness.ratings.diagnostics import diagnose, distinct_games
from harness.ratings.distinct import distinct
from harness.ratings.results import GameResults, OpeningRows
from harness.ratings.robust import ClusterUnit, cluster_rows, clustered_covariance

NEAR = st.integers(-5, 20)
FAR = st.integers(-(2**40), 2**40)


@given(st.lists(st.one_of(NEAR, FAR)) | st.lists(NEAR, min_size=5))
def test_distinct_is_what_numpy_finds(numbers: list[int]) -> None:
    keys = np.array(numbers, dtype=np.int64)
    values, place = np.unique(keys, return_inverse=True)
    found = distinct(keys)
    assert found.values.tolist() == values.tolist()
    assert found.place.tolist() == place.tolist()
    assert found.values.dtype == found.place.dtype == np.int64


def made_up(bots: int, pairs: int, openings: int, seed: int = 1) -> GameResults:
    """A round robin with results by chance; on each opening of a pairing both legs."""
    chance = np.random.default_rng(seed)
    one, other = np.triu_indices(bots, 1)
    first = np.repeat(np.stack([one, other], axis=1), pairs, axis=0).ravel()
    second = np.repeat(np.stack([other, one], axis=1), pairs, axis=0).ravel()
    pair = np.repeat(np.tile(np.arange(pairs), len(one)), 2)
    return GameResults(
        names=tuple(f"bot{number:02}" for number in range(bots)),
        openings=tuple(f"opening{number:02}" for number in range(openings)),
        first=first,
        second=second,
        opening=pair % openings,
        half_points=chance.integers(0, 3, len(first)).astype(np.int8),
        pair=pair,
        moves=chance.integers(0, 2**47, len(first)),
    )


def fitted(results: GameResults) -> DavidsonFit:
    found = fit(results.counts())
    assert found is not None
    return found


def test_chances_of_many_games_are_those_of_each() -> None:
    results = made_up(3, 4, 2)
    model = fitted(results)
    assert results.total > len(results.names) ** 2
    together = outcome_chances(model, results.first, results.second)
    for game in range(results.total):
        one = slice(game, game + 1)
        alone = outcome_chances(model, results.first[one], results.second[one])
        assert [chance[game] for chance in together] == [chance[0] for chance in alone]
    assert np.allclose(np.sum(together, axis=0), 1)


def test_chances_without_draws() -> None:
    model = dataclasses.replace(fitted(made_up(3, 4, 2)), nu=0.0)
    win, draw, loss = outcome_chances(model, np.array([0]), np.array([1]))
    assert draw.tolist() == [0]
    assert win + loss == pytest.approx(1)


@pytest.mark.parametrize("unit", [ClusterUnit.OPENING, ClusterUnit.PAIRING_OPENING])
def test_covariance_is_that_of_the_same_games_in_more_rows(unit: ClusterUnit) -> None:
    """The scores of a row are linear in its games: many small rows are a few large ones."""
    results = made_up(5, 4, 4)
    model, rows = fitted(results), results.opening_rows()
    times = 200
    columns = {name: np.tile(column, times) for name, column in rows._asdict().items()}
    split = OpeningRows(**columns | {name: columns[name] / times for name in rows._fields[3:]})
    few, many = cluster_rows(rows, unit), cluster_rows(split, unit)
    assert few.number == many.number
    assert few.number * (5 + 2) <= len(split.first)
    expected = clustered_covariance(model, rows, few)
    assert np.allclose(clustered_covariance(model, split, many), expected, rtol=1e-9, atol=1e-12)


@given(st.lists(st.tuples(*[st.integers(0, 1)] * 3, st.integers(0, 3)), max_size=12))
def test_distinct_games_are_counted(played: list[tuple[int, int, int, int]]) -> None:
    columns = np.array(played, dtype=np.int64).reshape(-1, 4).T
    first, second, opening, moves = columns
    results = GameResults(
        ("a", "b"),
        ("o", "p"),
        first,
        second,
        opening,
        np.zeros(len(first), dtype=np.int8),
        np.arange(len(first)),
        moves,
    )
    assert distinct_games(results) == len(set(played))


def test_numbers_of_pairs_far_apart_change_nothing() -> None:
    """Tournaments that are put together have numbers of pairs with large gaps between."""
    results = made_up(4, 30, 15)
    apart = dataclasses.replace(results, pair=results.pair * 2**41)
    model = fitted(results)
    near_found, far_found = (
        diagnose(model, one, one.counts(), one.opening_rows()) for one in (results, apart)
    )
    assert near_found.pair_dispersion == pytest.approx(far_found.pair_dispersion, rel=1e-12)
    assert near_found.pair_correlation == pytest.approx(far_found.pair_correlation, rel=1e-12)
    expected = _pair_dispersion(model, results)
    assert near_found.pair_dispersion == pytest.approx(expected, rel=1e-12)


def _pair_dispersion(model: DavidsonFit, results: GameResults) -> float:
    """The same game by game, in plain Python."""
    sums: dict[tuple[int, int, int], float] = {}
    by_model = 0.0
    for game in range(results.total):
        first, second = int(results.first[game]), int(results.second[game])
        one: IntArray = results.first[game : game + 1]
        win, draw, _ = outcome_chances(model, one, results.second[game : game + 1])
        score = float(win[0] + draw[0] / 2)
        residual = results.half_points[game] / 2 - score
        by_model += float(win[0] + draw[0] / 4) - score**2
        key = min(first, second), max(first, second), int(results.pair[game])
        sums[key] = sums.get(key, 0.0) + (residual if first < second else -residual)
    return float(sum(total**2 for total in sums.values()) / by_model)


def test_all_bots_are_among_themselves() -> None:
    results = made_up(3, 4, 2)
    assert results.among(np.arange(len(results.names))) is results


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted by Linux")
def test_arithmetic_starts_no_threads() -> None:
    code = (
        "import os; from harness.ratings.threads import keep_arithmetic_to_one_thread as keep;"
        "keep(); import numpy as np;"
        "np.linalg.inv(np.eye(500));"
        "print(len(os.listdir('/proc/self/task')), os.environ.get('OPENBLAS_NUM_THREADS'))"
    )
    environment = {key: text for key, text in os.environ.items() if "_NUM_THREADS" not in key}
    shown = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert shown.split() == ["1", "None"]


def test_a_number_of_threads_that_was_asked_for_stays() -> None:
    code = (
        "import os; from harness.ratings.threads import keep_arithmetic_to_one_thread as keep;"
        "keep(); print(os.environ['OPENBLAS_NUM_THREADS'])"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    shown = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert shown.strip() == "2"
