from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from harness.ratings.davidson import Model
from harness.ratings.history import MOST_CHECKPOINTS, rating_history
from harness.ratings.observations import RatingHistory
from harness.ratings.results import GameResults
from harness.ratings.table import RatingOptions, rate_games
from harness.ratings.types import Bound, RatingTable
from tests.unit.ratings.oracle import clustered, games, results_of
from tests.unit.report.builders import played

CASES = pytest.mark.parametrize("case", clustered()["cases"], ids=lambda case: case["id"][:3])


def _rated(
    results: GameResults, options: RatingOptions | None = None
) -> tuple[RatingTable, RatingHistory]:
    options = options or RatingOptions()
    tables, _ = rate_games(results, options)
    return tables[0], rating_history(results, tables[0], options.model)


@CASES
@pytest.mark.parametrize("model", Model)
def test_it_ends_at_the_table(case: dict[str, object], model: Model) -> None:
    table, found = _rated(results_of(case), RatingOptions(model=model))
    rows = [row for row in table.rows if row.bound is Bound.EXACT]
    assert found.names == tuple(row.name for row in rows)
    assert found.games[-1] == table.games
    assert found.elo[-1] == pytest.approx([row.elo for row in rows], abs=1e-6)
    assert found.error[-1] == pytest.approx([row.error for row in rows], rel=1e-6)
    assert found.caption.startswith(table.scale)


def test_a_checkpoint_is_the_table_of_the_games_until_then() -> None:
    results = played("abcd", 48)
    table, found = _rated(results)
    assert len(found.games) == MOST_CHECKPOINTS
    half = results.where(results.pair < 24)
    (early,), _ = rate_games(half)
    place = found.games.tolist().index(half.total)
    elo = {row.name: row.elo for row in early.rows}
    error = {row.name: row.error for row in early.rows}
    assert found.elo[place] == pytest.approx([elo[name] for name in table.rated], abs=1e-6)
    assert found.error[place] == pytest.approx([error[name] for name in table.rated], rel=1e-6)


@pytest.mark.parametrize(("openings", "checkpoints"), [(1, 1), (5, 5), (24, 24), (100, 24)])
def test_checkpoints_are_whole_rounds_and_ascend(openings: int, checkpoints: int) -> None:
    results = played("abc", openings)
    _, found = _rated(results)
    assert found.elo.shape == found.error.shape == (checkpoints, len(found.names))
    assert (np.diff(found.games) > 0).all()
    assert (found.games % 6 == 0).all()  # a round is three pairs
    assert found.games[-1] == results.total


def test_a_bot_has_no_number_before_it_won_and_lost_points() -> None:
    texts = []
    for opening in range(8):
        texts += [
            f"ab1{opening}",
            f"ba1{opening}",
            f"ac1{opening}",
            f"ca{int(opening > 3)}{opening}",
        ]
    _, found = _rated(games(*texts, names="abc"))
    place = found.names.index("c")
    assert np.isnan(found.elo[:4, place]).all()
    assert np.isnan(found.error[:4, place]).all()
    assert np.isfinite(found.elo[4:, place]).all()
    others = [found.names.index(name) for name in "ab"]
    assert np.isfinite(found.elo[:, others]).all()


def test_zero_stays_where_the_table_has_it() -> None:
    texts = []
    for opening in range(8):
        texts += [
            f"ab1{opening}",
            f"ba1{opening}",
            f"ac1{opening}",
            f"ca{int(opening > 3)}{opening}",
        ]
    table, found = _rated(games(*texts, names="abc"))
    final = {row.name: row.elo or 0 for row in table.rows}
    for elo in found.elo:
        known = np.isfinite(elo)
        names = [name for name, is_known in zip(found.names, known, strict=True) if is_known]
        assert elo[known].mean() == pytest.approx(np.mean([final[name] for name in names]))


def test_an_anchor_stays_where_it_is() -> None:
    table, found = _rated(played("abcd", 30), RatingOptions(anchors=(("c", 1500.0),)))
    place = found.names.index("c")
    assert found.elo[:, place] == pytest.approx([1500] * len(found.games))
    assert found.error[:, place] == pytest.approx([0] * len(found.games))
    errors = {row.name: row.error for row in table.rows}
    others = [name for name in found.names if name != "c"]
    assert found.error[-1][[found.names.index(name) for name in others]] == pytest.approx(
        [errors[name] for name in others], rel=1e-6
    )


def test_no_error_is_ever_zero_by_accident() -> None:
    """Every pair is split: clusters without spread fall back on the model's errors."""
    texts = [text for opening in range(12) for text in (f"ab1{opening:02}", f"ba1{opening:02}")]
    table, found = _rated(games(*texts))
    assert (found.error > 50).all()
    assert found.error[-1] == pytest.approx([row.error for row in table.rows])


def test_bots_that_meet_late_join_late() -> None:
    """Two pools until the last round: the smaller one has no zero of its own yet."""
    results = games(
        *("ab11", "ba11", "ac11", "ca11", "de11", "ed11"),
        *("ab12", "ba12", "bc12", "cb12", "de12", "ed12"),
        *("ad13", "da13", "be13", "eb13"),
        names="abcde",
    )
    _, found = _rated(results)
    late = [found.names.index(name) for name in "de"]
    assert np.isnan(found.elo[:2, late]).all()
    assert np.isfinite(found.elo[2]).all()


def test_drawn_rounds_have_no_numbers_yet() -> None:
    _, found = _rated(games("ab=1", "ba=1", "ab12", "ba12"))
    assert np.isnan(found.elo[0]).all()
    assert np.isfinite(found.elo[1]).all()


def test_several_tournaments_follow_each_other() -> None:
    results = played("abc", 4)
    second = dataclasses.replace(results, pair=results.pair + (1 << 40))
    both = GameResults(
        results.names,
        results.openings,
        *(
            np.concatenate([getattr(results, name), getattr(second, name)])
            for name in ("first", "second", "opening", "half_points", "pair", "moves")
        ),
    )
    _, found = _rated(both)
    assert found.games.tolist() == [6, 12, 18, 24, 30, 36, 42, 48]


def test_intervals_begin_when_all_bots_have_a_rating() -> None:
    """Before, they would be those of differences to bots that are held where they end."""
    texts = []
    for opening in range(8):
        late = int(opening > 3)
        texts += [f"ab1{opening}", f"ba{late}{opening}", f"ac1{opening}", f"ca{late}{opening}"]
        texts += [f"bc1{opening}", f"cb1{opening}"]
    table, found = _rated(games(*texts, names="abc"))
    assert np.isfinite(found.elo[3]).sum() == 2
    assert np.isnan(found.error[:4]).all()
    assert np.isfinite(found.error[4:]).all()
    assert found.caption == (
        f"{table.scale} Intervals are known from the first 30 games on, when all have a rating."
    )
    whole, settled = _rated(played("abc", 1, seed=2))
    assert np.isfinite(settled.error[-1]).all()
    assert settled.caption == whole.scale


def test_a_bot_without_an_error_is_not_taken_for_the_anchor() -> None:
    results = played("abcd", 30)
    tables, _ = rate_games(results)
    rows = tuple(
        dataclasses.replace(row, error=None, model_error=None) if row.name == "b" else row
        for row in tables[0].rows
    )
    plain = rating_history(results, tables[0])
    found = rating_history(results, dataclasses.replace(tables[0], rows=rows))
    assert found.elo == pytest.approx(plain.elo)
