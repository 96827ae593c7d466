from __future__ import annotations

import numpy as np
import pytest

from harness.errors import InputError
from harness.ratings.analysis import analyse
from harness.ratings.davidson import Model
from harness.ratings.table import RatingOptions, rate_games
from harness.ratings.types import Bound
from tests.unit.ratings.oracle import games
from tests.unit.report.builders import endings, played


def test_it_is_tables_pools_cross_table_and_endings() -> None:
    results = played("abcd", 20)
    found = analyse(results, endings(results))
    assert found.tables == rate_games(results)[0]
    (pool,) = found.pools
    assert pool.tables == found.tables
    assert pool.bots == tuple(row.name for row in found.tables[0].rows)
    assert pool.match is None
    assert pool.diagnostics is not None
    assert pool.diagnostics.games == results.total
    assert found.cross.names == pool.bots
    assert found.endings == tuple(endings(results))
    assert found.model is Model.DAVIDSON
    assert sum(found.cross.total(name).games for name in "abcd") == 2 * results.total


def test_two_bots_have_a_match_as_the_better_one_saw_it() -> None:
    found = analyse(played(["zoe", "ann"], 20, lead=1.0))
    (pool,) = found.pools
    assert pool.match is not None
    assert (pool.match.bot, pool.match.opponent) == ("zoe", "ann")
    assert pool.match.pairs == 20
    assert pool.match.estimate.elo is not None
    assert pool.match.estimate.elo > 0


def test_every_pool_is_looked_at_by_itself() -> None:
    found = analyse(
        games(*("ab11", "ba11", "bc11", "cb12", "ca1x"), *("de11", "ed11"), names="abcdez")
    )
    assert [set(pool.bots) for pool in found.pools] == [set("abc"), set("de")]
    assert [pool.match is None for pool in found.pools] == [True, False]
    assert [pool.diagnostics.games for pool in found.pools if pool.diagnostics] == [5, 2]
    assert "z" not in found.cross.names
    assert {row.name for row in found.tables[0].rows} == set("abcz")


def test_groups_of_one_pool_are_tables_of_one_pool() -> None:
    """c and d lost everything to a and b: a table of their own, but one pool."""
    texts = [f"{pair}1{opening}" for pair in ("ab", "ba", "cd", "dc", "ac", "bd")
             for opening in range(3)]  # fmt: skip
    found = analyse(games(*texts, names="abcd"))
    assert len(found.tables) == 2
    (pool,) = found.pools
    assert pool.tables == found.tables
    assert sorted(pool.bots) == list("abcd")
    assert pool.diagnostics is not None
    assert pool.diagnostics.components == 2
    # neighbours of each table, not across
    assert {frozenset((one.bot, one.next_bot)) for one in pool.efforts} <= {
        frozenset("ab"),
        frozenset("cd"),
    }


def test_efforts_are_of_neighbours_in_rank_that_are_not_apart() -> None:
    found = analyse(played("abcdef", 20, lead=0.4))
    (table,), (pool,) = found.tables, found.pools
    expected = [
        (row.name, below.name)
        for row, below in zip(table.rows, table.rows[1:], strict=False)
        if (row.los_next or 1) < 0.95
    ]
    assert 0 < len(expected) < 5
    assert [(one.bot, one.next_bot) for one in pool.efforts] == expected


@pytest.mark.parametrize("texts", [["ab=1", "ba=1"], ["ab=1"]])
def test_a_drawn_pool_has_a_match_but_no_diagnostics(texts: list[str]) -> None:
    (pool,) = analyse(games(*texts)).pools
    assert pool.diagnostics is None
    assert pool.efforts == ()
    assert pool.match is not None
    assert pool.match.draw_ratio == 1


def test_nothing_played_is_nothing_found() -> None:
    found = analyse(games(names=""))
    assert (found.tables, found.pools, found.cross.names) == ((), (), ())
    found = analyse(games(names="ab"))
    assert (len(found.tables), found.pools, found.cross.names) == (1, (), ())
    assert {row.bound for row in found.tables[0].rows} == {Bound.UNKNOWN}


def test_options_reach_the_tables() -> None:
    told: list[int] = []
    options = RatingOptions(anchors=(("b", 1000.0),), model=Model.SCORE, refits=3)
    found = analyse(played("abc", 20), options=options, progress=told.append)
    assert told == [1, 1, 1]
    assert found.model is Model.SCORE
    rows = {row.name: row for row in found.tables[0].rows}
    assert (rows["b"].elo, rows["b"].error) == (1000, None)
    assert rows["a"].bootstrap_error is not None
    with pytest.raises(InputError, match="'z' is none of the bots"):
        analyse(played("abc", 2), options=RatingOptions(anchors=(("z", 0.0),)))


def test_the_same_games_are_the_same_analysis() -> None:
    one, other = analyse(played("abcd", 20)), analyse(played("abcd", 20))
    assert one.tables == other.tables
    for first, second in zip(one.tables, other.tables, strict=True):
        assert np.array_equal(first.covariance, second.covariance)
    assert one.pools[0].efforts == other.pools[0].efforts
