from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.ratings.components import pools
from harness.ratings.counts import GameCounts, PairingCount
from harness.ratings.davidson import fit
from harness.ratings.table import Bound, RatingTable, rate
from harness.report.tables import standings_text

NAMES = "abcdef"


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
    assert rate(single, names=names) == rate(rows)


@given(balanced(), st.permutations(NAMES))
def test_names_do_not_matter(rows: list[PairingCount], renamed: list[str]) -> None:
    new = dict(zip(NAMES, renamed, strict=True))
    before = _by_name(rate(rows))
    after = _by_name(
        rate([PairingCount(new[row.first], new[row.second], *row[2:]) for row in rows])
    )
    for name, (bound, elo, error) in before.items():
        assert after[new[name]][0] is bound
        assert after[new[name]][1] == pytest.approx(elo, abs=1e-6)
        assert after[new[name]][2] == pytest.approx(error, rel=1e-6)


@given(balanced())
def test_turning_every_result_round_turns_the_ratings_round(rows: list[PairingCount]) -> None:
    turned = [PairingCount(row.first, row.second, row.losses, row.draws, row.wins) for row in rows]
    (before,), (after,) = rate(rows), rate(turned)
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
        (table,) = rate(more)
        by_name = {row.name: row.error for row in table.rows if row.error is not None}
        return [by_name[name] for name in sorted(by_name)]

    # from a hundredfold on the prior weighs nothing
    assert np.array(errors(100)) / np.array(errors(10_000)) == pytest.approx(10, rel=0.02)
