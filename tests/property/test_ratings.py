from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.ratings.analysis import Analysis, analyse
from harness.ratings.comparisons import quantile
from harness.ratings.components import pools
from harness.ratings.counts import FloatArray, GameCounts, IntArray, PairingCount
from harness.ratings.davidson import Model, fit
from harness.ratings.history import rating_history
from harness.ratings.results import GameResults
from harness.ratings.robust import ClusterUnit
from harness.ratings.table import RatingOptions, rate, rate_games
from harness.ratings.types import Bound, RatingTable
from harness.report.documents import cross_csv, endings_csv, json_text, los_csv, standings_csv
from harness.report.markdown import markdown, report_sheets
from harness.report.sheet import as_text
from harness.report.standings_table import standings_text
from tests.unit.report.builders import endings

NAMES = "abcdef"
QUICK = RatingOptions(is_quick=True)
"""Without Tukey's quantiles, which take longer than all the rest."""
NOT_A_NUMBER = re.compile(r"\b(nan|inf|infinity)\b", re.IGNORECASE)


@st.composite
def tournaments(draw: st.DrawFn, most: int = 30) -> list[PairingCount]:
    """Any results of up to six bots: sparse, one-sided, one-coloured, drawn."""
    pairings = [(first, second) for first in NAMES for second in NAMES if first != second]
    chosen = draw(st.lists(st.sampled_from(pairings), min_size=1, max_size=12, unique=True))
    count = st.one_of(st.just(0), st.integers(0, most))
    return [PairingCount(*pair, draw(count), draw(count), draw(count)) for pair in chosen]


@st.composite
def balanced(draw: st.DrawFn) -> list[PairingCount]:
    """Everybody met everybody on both sides, and everybody won and lost against everybody."""
    bots = draw(st.integers(2, 5))
    count = st.integers(1, 40)
    return [
        PairingCount(first, second, draw(count), draw(st.integers(0, 20)), draw(count))
        for first in NAMES[:bots]
        for second in NAMES[:bots]
        if first != second
    ]


Game = tuple[int, int, int, int, int, int]
"""First mover, second, opening, half points, pair and moves."""


def _results(games: Sequence[Game] | IntArray, names: Sequence[str], openings: int) -> GameResults:
    first, second, opening, points, pair, moves = np.array(games, dtype=np.int64).reshape(-1, 6).T
    return GameResults(
        tuple(names),
        tuple(f"{number:016x}" for number in range(openings)),
        first,
        second,
        opening,
        points.astype(np.int8),
        pair,
        moves,
    )


@st.composite
def game_lists(draw: st.DrawFn) -> tuple[list[Game], int, int]:
    """Any few games of up to five bots, with openings, pairs and replays; bots and openings."""
    bots, openings = draw(st.integers(2, 5)), draw(st.sampled_from([1, 2, 6, 25]))
    ladder = draw(st.booleans())

    def one(kind: tuple[int, int, int, int, int, int]) -> list[Game]:
        first, step, opening, points, pair, moves = kind
        first %= bots
        second = (first + 1 + step % (bots - 1)) % bots
        if ladder:
            points = 2 if first < second else 0
        game = (first, second, opening % openings, points, pair, moves)
        back = (second, first, opening % openings, moves, pair, moves)
        return [game, back] if moves < 3 else [game]

    numbers = st.tuples(
        st.integers(0, 4),
        st.integers(0, 3),
        st.integers(0, 24),
        st.integers(0, 2),
        st.integers(0, 9),
        st.integers(0, 5),
    )
    kinds = draw(st.lists(numbers, max_size=25))
    return [game for kind in kinds for game in one(kind)], bots, openings


@st.composite
def balanced_games(draw: st.DrawFn, most_bots: int = 4) -> tuple[list[Game], int, int]:
    """Everybody met everybody on both sides of every opening, and won and lost against all."""
    bots, openings = draw(st.integers(2, most_bots)), draw(st.integers(2, 6))
    points = st.lists(st.integers(0, 2), min_size=openings, max_size=openings)
    games = [
        (first, second, opening, result, opening, 0)
        for first in range(bots)
        for second in range(bots)
        if first != second
        for opening, result in enumerate([2, 0, *draw(points)[2:]])
    ]
    return games, bots, openings


def _by_name(tables: Sequence[RatingTable]) -> dict[str, tuple[Bound, float | None, float | None]]:
    return {row.name: (row.bound, row.elo, row.error) for table in tables for row in table.rows}


@given(tournaments())
def test_every_bot_is_in_one_table_and_every_number_is_finite(rows: list[PairingCount]) -> None:
    names = {name for row in rows for name in row[:2]}
    tables = rate(rows)
    listed = [row.name for table in tables for row in table.rows]
    assert sorted(listed) == sorted(names)
    for table in tables:
        ranks = [row.rank for row in table.rows if row.rank is not None]
        assert ranks == list(range(1, len(ranks) + 1))
        exact = [row.elo for row in table.rows if row.bound is Bound.EXACT]
        assert exact == sorted(exact, key=lambda elo: -(elo or 0))
        for row in table.rows:
            for number in (row.elo, row.error, row.median, row.score, row.los_next):
                assert number is None or math.isfinite(number)
            assert row.los_next is None or 0.5 <= row.los_next <= 1
            assert row.games == row.wins + row.draws + row.losses
    text = standings_text(tables)
    assert "nan" not in text
    assert "inf" not in text
    assert max(map(len, text.splitlines())) <= 80


@given(tournaments())
def test_every_pool_has_a_fit_or_no_decisive_game(rows: list[PairingCount]) -> None:
    counts = GameCounts.from_rows(rows)
    for pool in pools(counts):
        inside = counts.only(pool)
        model = fit(inside)
        assert (model is None) == (inside.wins.sum() + inside.losses.sum() == 0)
        assert model is None or model.has_converged


@given(tournaments(), st.randoms(use_true_random=False))
def test_the_order_of_games_is_nothing(rows: list[PairingCount], chance: random.Random) -> None:
    single = [
        PairingCount(row.first, row.second, *(int(kind == place) for place in range(3)))
        for row in rows
        for kind, count in enumerate((row.wins, row.draws, row.losses))
        for _ in range(count)
    ]
    chance.shuffle(single)
    names = sorted({name for row in rows for name in row[:2]})
    chance.shuffle(names)
    assert rate(single, names=names, options=QUICK) == rate(rows, options=QUICK)


@given(balanced(), st.permutations(NAMES))
def test_names_do_not_matter(rows: list[PairingCount], renamed: list[str]) -> None:
    new = dict(zip(NAMES, renamed, strict=True))
    before = _by_name(rate(rows, options=QUICK))
    after = _by_name(
        rate(
            [PairingCount(new[row.first], new[row.second], *row[2:]) for row in rows],
            options=QUICK,
        )
    )
    for name, (bound, elo, error) in before.items():
        assert after[new[name]][0] is bound
        assert after[new[name]][1] == pytest.approx(elo, abs=1e-6)
        assert after[new[name]][2] == pytest.approx(error, rel=1e-6)


@given(balanced())
def test_turning_every_result_round_turns_the_ratings_round(rows: list[PairingCount]) -> None:
    turned = [PairingCount(row.first, row.second, row.losses, row.draws, row.wins) for row in rows]
    (before,), (after,) = rate(rows, options=QUICK), rate(turned, options=QUICK)
    assert before.first_move is not None
    assert after.first_move is not None
    assert after.first_move.elo == pytest.approx(-before.first_move.elo, abs=1e-6)
    elo, turned_elo = _by_name([before]), _by_name([after])
    for name, (_, number, error) in elo.items():
        assert number is not None
        assert turned_elo[name][1] == pytest.approx(-number, abs=1e-6)
        assert turned_elo[name][2] == pytest.approx(error, rel=1e-6)


@given(balanced(), st.sampled_from([0.0, 1.0]))
def test_the_score_equations_hold(rows: list[PairingCount], virtual_draws: float) -> None:
    """Points of every bot, of the first movers, and draws: expected = seen, prior included."""
    assume(virtual_draws > 0 or any(row.draws for row in rows))
    model = fit(GameCounts.from_rows(rows), virtual_draws=virtual_draws)
    assert model is not None
    names = sorted({name for row in rows for name in row[:2]})
    played = {name: sum(row.games for row in rows if name in row[:2]) for name in names}
    surplus = dict.fromkeys(names, 0.0)
    first_surplus = draw_surplus = 0.0
    total = 0.0
    for row in rows:
        met = row.games + next(
            other.games for other in rows if (other.first, other.second) == (row.second, row.first)
        )
        virtual = virtual_draws / 4 * met * (1 / played[row.first] + 1 / played[row.second])
        games = row.games + virtual
        total += games
        one, other = names.index(row.first), names.index(row.second)
        x = model.ratings[one] - model.ratings[other] + model.advantage
        weights = math.exp(x / 2), model.nu, math.exp(-x / 2)
        expected = (weights[0] + weights[1] / 2) / sum(weights) * games
        seen = row.wins + (row.draws + virtual) / 2
        surplus[row.first] += seen - expected
        surplus[row.second] -= seen - expected
        first_surplus += seen - expected
        draw_surplus += row.draws + virtual - games * weights[1] / sum(weights)
    assert list(surplus.values()) == pytest.approx([0] * len(names), abs=1e-7)
    assert first_surplus == pytest.approx(0, abs=1e-7)
    assert draw_surplus == pytest.approx(0, abs=1e-7)


@given(balanced())
def test_errors_shrink_as_the_root_of_the_data(rows: list[PairingCount]) -> None:
    def errors(times: int) -> list[float]:
        more = [PairingCount(*row[:2], *(count * times for count in row[2:])) for row in rows]
        (table,) = rate(more, options=QUICK)
        by_name = {row.name: row.error for row in table.rows if row.error is not None}
        return [by_name[name] for name in sorted(by_name)]

    # from a hundredfold on the prior weighs nothing
    assert np.array(errors(100)) / np.array(errors(10_000)) == pytest.approx(10, rel=0.02)


# Game by game, with openings


@settings(max_examples=40)
@given(game_lists(), st.randoms(use_true_random=False), st.sampled_from(Model))
def test_the_order_of_games_with_openings_is_nothing(
    drawn: tuple[list[Game], int, int], chance: random.Random, model: Model
) -> None:
    games, bots, openings = drawn
    shuffled = games.copy()
    chance.shuffle(shuffled)
    options = RatingOptions(model=model)
    before, _ = rate_games(_results(games, NAMES[:bots], openings), options)
    after, _ = rate_games(_results(shuffled, NAMES[:bots], openings), options)
    assert after == before
    for one, other in zip(before, after, strict=True):
        assert np.array_equal(one.covariance, other.covariance)
        assert np.array_equal(one.los, other.los)
        assert np.array_equal(one.differ, other.differ)


@settings(max_examples=40)
@given(balanced_games(), st.permutations(range(4)))
def test_names_do_not_matter_with_openings_either(
    drawn: tuple[list[Game], int, int], order: list[int]
) -> None:
    games, bots, openings = drawn
    place = [number for number in order if number < bots]
    renamed = [(place[first], place[second], *more) for first, second, *more in games]
    before, _ = rate_games(_results(games, NAMES[:bots], openings), QUICK)
    after, _ = rate_games(_results(np.array(renamed), NAMES[:bots], openings), QUICK)
    (one,), (other,) = before, after
    assert one.unit is other.unit
    found = {row.name: row for row in other.rows}
    for row in one.rows:
        same = found[NAMES[place[NAMES.index(row.name)]]]
        assert same.elo == pytest.approx(row.elo, abs=1e-6)
        # few games may say, by accident, that a bot is as good as the mean without an error
        assert (same.error or 0) == pytest.approx(row.error or 0, rel=1e-6, abs=1e-3)
        assert same.model_error == pytest.approx(row.model_error, rel=1e-6)
        assert (same.games, same.wins, same.draws) == (row.games, row.wins, row.draws)
    for first, row_name in enumerate(one.rated):
        for second, column_name in enumerate(one.rated):
            new = [NAMES[place[NAMES.index(name)]] for name in (row_name, column_name)]
            at = other.rated.index(new[0]), other.rated.index(new[1])
            assert other.los[at] == pytest.approx(one.los[first, second], abs=1e-6)


@settings(max_examples=40)
@given(balanced_games(), st.permutations(range(6)))
def test_which_opening_is_which_does_not_matter(
    drawn: tuple[list[Game], int, int], order: list[int]
) -> None:
    games, bots, openings = drawn
    place = [number for number in order if number < openings]
    moved = [(*game[:2], place[game[2]], *game[3:]) for game in games]
    before, _ = rate_games(_results(games, NAMES[:bots], openings), QUICK)
    after, _ = rate_games(_results(moved, NAMES[:bots], openings), QUICK)
    for one, other in zip(before[0].rows, after[0].rows, strict=True):
        assert other.elo == pytest.approx(one.elo, abs=1e-9)
        assert (other.error or 0) == pytest.approx(one.error or 0, rel=1e-6, abs=1e-3)


@settings(max_examples=30)
@given(balanced_games())
def test_clustered_errors_shrink_as_the_root_of_the_openings(
    drawn: tuple[list[Game], int, int],
) -> None:
    """The same games again on other openings: four times as many halve the error."""
    games, bots, openings = drawn

    def errors(times: int) -> FloatArray:
        rows = np.repeat(np.array(games)[None], times, axis=0)
        rows[:, :, [2, 4]] += openings * np.arange(times)[:, None, None]
        results = _results(rows.reshape(-1, 6), NAMES[:bots], times * openings)
        (table,), _ = rate_games(results, QUICK)
        assert table.unit in (ClusterUnit.OPENING, ClusterUnit.GAME)
        by_name = {row.name: row.error or 0.0 for row in table.rows}
        return np.array([by_name[name] for name in sorted(by_name)])

    few, many = errors(25), errors(100)
    assume(few.min() > 0.01 * few.max())  # bots that are as good as the mean in every opening
    clusters = 25 * openings, 100 * openings
    of_student = quantile(clusters[0] - 1) / quantile(clusters[1] - 1)
    of_sample = math.sqrt(clusters[0] / (clusters[0] - 1) / (clusters[1] / (clusters[1] - 1)))
    assert few / many == pytest.approx(2 * of_student * of_sample, rel=0.05)


@given(balanced(), st.sampled_from([0.0, 1.0]))
def test_the_score_equations_hold_when_draws_are_half_points(
    rows: list[PairingCount], virtual_draws: float
) -> None:
    """Points of every bot and of the first movers on the logistic curve, prior included."""
    model = fit(GameCounts.from_rows(rows), virtual_draws=virtual_draws, model=Model.SCORE)
    assert model is not None
    assert model.nu == 0
    names = sorted({name for row in rows for name in row[:2]})
    played = {name: sum(row.games for row in rows if name in row[:2]) for name in names}
    surplus = dict.fromkeys(names, 0.0)
    first_surplus = 0.0
    for row in rows:
        met = row.games + next(
            other.games for other in rows if (other.first, other.second) == (row.second, row.first)
        )
        virtual = virtual_draws / 4 * met * (1 / played[row.first] + 1 / played[row.second])
        one, other = names.index(row.first), names.index(row.second)
        x = model.ratings[one] - model.ratings[other] + model.advantage
        expected = (row.games + virtual) / (1 + math.exp(-x))
        seen = row.wins + (row.draws + virtual) / 2
        surplus[row.first] += seen - expected
        surplus[row.second] -= seen - expected
        first_surplus += seen - expected
    assert list(surplus.values()) == pytest.approx([0] * len(names), abs=1e-7)
    assert first_surplus == pytest.approx(0, abs=1e-7)


def _histories_are_numbers(results: GameResults, analysis: Analysis) -> bool:
    for pool in analysis.pools:
        if pool.diagnostics is None:
            continue
        bots = np.array([results.names.index(name) for name in sorted(pool.bots)])
        found = rating_history(results.among(bots), pool.tables[0], analysis.model)
        if np.isinf(found.elo).any() or np.isinf(found.error).any():
            return False
    return True


@settings(max_examples=80)
@given(
    game_lists(),
    st.sampled_from(Model),
    st.sampled_from([0, 0, 3]),
    st.sampled_from([None, "a", "b"]),
    st.sampled_from(["", "n" * 40, "e\x1b[31m\n"]),
)
def test_any_few_games_make_sheets_and_documents_without_a_fault(
    drawn: tuple[list[Game], int, int],
    model: Model,
    refits: int,
    anchor: str | None,
    prefix: str,
) -> None:
    games, bots, openings = drawn
    results = _results(games, [prefix + name for name in NAMES[:bots]], openings)
    chosen = () if anchor is None else ((prefix + anchor, -12.5),)
    options = RatingOptions(anchors=chosen, model=model, refits=refits)
    analysis = analyse(results, endings(results), options)
    assert sum(row.games for table in analysis.tables for row in table.rows) == 2 * len(games)
    assert _histories_are_numbers(results, analysis)
    texts = [
        json_text(["x"], analysis),
        standings_csv(analysis.tables),
        cross_csv(analysis.cross),
        los_csv(analysis.tables),
        endings_csv(analysis.endings),
        markdown(analysis, title=prefix),
    ]
    for sheet in report_sheets(analysis, width=80):
        text = as_text(sheet)
        assert max(map(len, text.splitlines())) <= 80
        assert text.isascii()
        assert text.replace("\n", "").isprintable()
        texts.append(text)
    for text in texts:
        assert not NOT_A_NUMBER.search(text)
    for table in analysis.tables:
        for numbers in (table.los, table.covariance):
            assert np.isfinite(numbers).all()
        assert table.los + table.los.T == pytest.approx(np.ones_like(table.los))
        assert np.array_equal(table.differ, table.differ.T)
