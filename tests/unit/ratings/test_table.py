from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import t as student

from harness.errors import InputError
from harness.ratings.counts import PairingCount as Row
from harness.ratings.davidson import ELO, Model
from harness.ratings.robust import ClusterUnit
from harness.ratings.table import RatingOptions, rate, rate_games
from harness.ratings.types import Bound, RatingTable
from tests.unit.ratings.oracle import clustered, games, results_of, rows_of, table_cases
from tests.unit.report.builders import played

Z_95 = 1.959963984540054
CASES = table_cases()
BY_GAME = {case["id"][:3]: case for case in clustered()["cases"]}
CONNECTED = [
    key
    for key, case in CASES.items()
    if case["strong_components"] == 1 and "davidson_map_virtual1" in case["oracle"]
]


def _only(tables: tuple[RatingTable, ...]) -> RatingTable:
    assert len(tables) == 1
    return tables[0]


@pytest.mark.parametrize("case_id", CONNECTED)
def test_a_connected_pool_is_the_oracle_in_order(case_id: str) -> None:
    case = CASES[case_id]
    expected = case["oracle"]["davidson_map_virtual1"]
    table = _only(rate(rows_of(case)))
    scale = 2 / (2 + expected["nu"])
    order = sorted(range(len(case["players"])), key=lambda bot: -expected["elo"][bot])
    assert [row.name for row in table.rows] == [case["players"][bot] for bot in order]
    assert [row.rank for row in table.rows] == list(range(1, len(order) + 1))
    for row, bot, below in zip(table.rows, order, [*order[1:], None], strict=True):
        assert row.bound is Bound.EXACT
        assert row.elo == pytest.approx(expected["elo_score_scale"][bot], abs=1e-6)
        assert row.error == pytest.approx(Z_95 * scale * expected["se_elo"][bot], rel=1e-6)
        if below is None:
            assert row.los_next is None
        else:
            assert row.los_next == pytest.approx(expected["los"][bot][below], abs=1e-8)
    assert table.first_move is not None
    assert table.first_move.elo == pytest.approx(scale * expected["adv"], abs=1e-6)
    assert table.first_move.error == pytest.approx(Z_95 * scale * expected["se_adv"], rel=1e-6)
    assert table.draw_rate == pytest.approx(expected["draw_rate_equal"], abs=1e-8)


def test_an_anchor_carries_its_error_to_all_others() -> None:
    case = CASES["m02"]
    expected = case["oracle"]["davidson_map_virtual1"]
    names, covariance = case["players"], np.array(expected["cov"])
    scale = 2 / (2 + expected["nu"])
    table = _only(rate(rows_of(case), options=RatingOptions(anchors=((names[3], 1500.0),))))
    for row in table.rows:
        bot = names.index(row.name)
        difference = expected["elo_score_scale"][bot] - expected["elo_score_scale"][3]
        assert row.elo == pytest.approx(1500 + difference, abs=1e-6)
        variance = covariance[bot, bot] + covariance[3, 3] - 2 * covariance[bot, 3]
        if bot == 3:
            assert row.error is None
        else:
            assert row.error == pytest.approx(Z_95 * scale * math.sqrt(variance), rel=1e-6)
    plain = _only(rate(rows_of(case)))
    assert [row.los_next for row in table.rows] == pytest.approx(
        [row.los_next for row in plain.rows]
    )
    assert f"Bot {names[3]} is set to 1500" in table.scale


def test_a_bot_that_lost_everything_is_a_bound_against_the_core() -> None:
    case = CASES["m04"]
    expected = case["oracle"]["davidson_map_virtual1"]
    elo = np.array(expected["elo_score_scale"])
    elo -= elo[:4].mean()
    table = _only(rate(rows_of(case)))
    assert [row.elo for row in table.rows[:4]] == pytest.approx(elo[:4].tolist(), abs=1e-6)
    last = table.rows[4]
    assert (last.name, last.bound, last.error, last.rank) == ("Bot04", Bound.BELOW, None, 5)
    assert last.elo is not None
    assert last.median is not None
    nu, advantage = expected["nu"], expected["adv"] / ELO
    for rating, chance in ((last.elo, 0.05), (last.median, 0.5)):
        log_chance = 0.0
        for opponent in range(4):
            gap = (rating - elo[opponent]) * (2 + nu) / 2 / ELO
            for x in (gap + advantage, gap - advantage):
                weights = math.exp(x / 2), nu, math.exp(-x / 2)
                log_chance += 100 * math.log(weights[2] / sum(weights))
        assert log_chance == pytest.approx(math.log(chance), abs=1e-6)
    assert table.rows[3].los_next is None
    assert "one-sided" in " ".join(table.notices)
    assert last.elo_text == f"< {round(last.elo)}"
    assert (last.low, last.high) == (None, last.elo)


def test_pools_that_never_met_get_tables_of_their_own() -> None:
    tables = rate(rows_of(CASES["m07"]))
    assert [[row.name for row in table.rows] for table in tables] == [
        ["Bot00", "Bot01"],
        ["Bot02", "Bot03"],
    ]
    assert not any("no game joins" in notice for notice in tables[0].notices)
    assert any("no game joins" in notice for notice in tables[1].notices)
    alone = rate(rows_of(CASES["m07"])[2:])[0]
    assert [row.elo for row in alone.rows] == [row.elo for row in tables[1].rows]


def test_a_group_that_lost_every_cross_game_is_bounded_as_a_whole() -> None:
    upper, lower = rate(rows_of(CASES["m08"]))
    expected = CASES["m08"]["oracle"]["davidson_map_virtual1"]["elo_score_scale"]
    assert [row.name for row in upper.rows] == ["Bot00", "Bot01"]
    assert [row.name for row in lower.rows] == ["Bot02", "Bot03"]
    half = (expected[0] - expected[1]) / 2
    assert [row.elo for row in upper.rows] == pytest.approx([half, -half], abs=1e-6)
    half = (expected[2] - expected[3]) / 2
    assert [row.elo for row in lower.rows] == pytest.approx([half, -half], abs=1e-6)
    (notice,) = [text for text in lower.notices if "those of table 1" in text]
    assert notice.startswith("these bots lost every game")
    shift = int(notice.split("lies below ")[1].split()[0])
    # 10 games of Bot00 as first against Bot02, 8 of Bot01 against Bot03
    found = CASES["m08"]["oracle"]["davidson_map_virtual1"]
    log_chances = []
    for at in (shift - 0.5, shift + 0.5):
        log_chance = 0.0
        for one, other, count in ((0, 2, 10), (1, 3, 8)):
            gap = upper.rows[one].elo - at - lower.rows[other - 2].elo  # type: ignore[operator]
            x = gap * (2 + found["nu"]) / 2 / ELO + found["adv"] / ELO
            weights = math.exp(x / 2), found["nu"], math.exp(-x / 2)
            log_chance += count * math.log(weights[0] / sum(weights))
        log_chances.append(log_chance)
    assert log_chances[0] > math.log(0.05) > log_chances[1]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_bound_knows_who_moved_first(is_first: bool) -> None:
    core = [Row("a", "b", 50, 2, 10), Row("b", "a", 50, 2, 10)]
    games = Row("x", "a", 20, 0, 0) if is_first else Row("a", "x", 0, 0, 20)
    table = _only(rate([*core, games]))
    top, elo = table.rows[0], {row.name: row.elo for row in table.rows}
    assert top.name == "x"
    assert top.elo is not None
    assert table.first_move is not None
    assert table.first_move.elo > 20
    assert table.draw_rate is not None
    nu = 2 * table.draw_rate / (1 - table.draw_rate)
    ahead = top.elo - (elo["a"] or 0) + table.first_move.elo * (1 if is_first else -1)
    x = ahead * (2 + nu) / 2 / ELO
    won = math.exp(x / 2) / (math.exp(x / 2) + nu + math.exp(-x / 2))
    assert won**20 == pytest.approx(0.05)


def test_all_draws_are_equal_without_an_error() -> None:
    table = _only(rate([Row("a", "b", 0, 3, 0), Row("b", "a", 0, 4, 0)]))
    assert [(row.elo, row.error) for row in table.rows] == [(0, None), (0, None)]
    assert table.rows[0].los_next == 0.5
    assert "no decisive games" in table.notices[0]


def test_one_game_gives_a_bound() -> None:
    table = _only(rate([Row("a", "b", 1, 0, 0)]))
    assert [(row.rank, row.name, row.bound) for row in table.rows] == [
        (1, "a", Bound.EXACT),
        (2, "b", Bound.BELOW),
    ]
    assert "0 is a" in table.scale
    assert any("first move" in notice for notice in table.notices)


def test_all_wins_of_one_bot_give_a_bound_that_grows_with_the_games() -> None:
    bounds = []
    for count in (5, 50, 500):
        table = _only(rate([Row("a", "b", count, 0, 0), Row("b", "a", 0, 0, count)]))
        assert table.rows[1].elo is not None
        bounds.append(table.rows[1].elo)
    assert 0 > bounds[0] > bounds[1] > bounds[2] > -3000


def test_no_bots_no_table() -> None:
    assert rate([]) == ()


def test_bots_without_games_are_listed_without_rank() -> None:
    table = _only(rate([], names=["b", "a"]))
    assert [(row.rank, row.name, row.elo_text) for row in table.rows] == [
        (None, "a", "?"),
        (None, "b", "?"),
    ]
    assert table.scale == "No games yet."
    table = _only(rate([Row("a", "b", 2, 0, 1)], names=["a", "z"]))
    assert [row.name for row in table.rows] == ["a", "b", "z"]
    assert any("z" in notice for notice in table.notices)


def test_a_chain_of_one_way_results_rests_on_its_neighbour() -> None:
    core = [Row("a", "b", 5, 1, 5), Row("b", "a", 5, 1, 5)]
    rows = [*core, Row("d", "a", 9, 0, 0), Row("e", "d", 4, 0, 0), Row("b", "m", 9, 0, 0)]
    rows += [Row("m", "n", 3, 0, 0)]
    table = _only(rate(rows))
    names = [row.name for row in table.rows]
    assert (names[:2], sorted(names[2:4]), names[4:]) == (["e", "d"], ["a", "b"], ["m", "n"])
    bounds = {row.name: row.bound for row in table.rows}
    assert [bounds[name] for name in "edmn"] == [Bound.ABOVE] * 2 + [Bound.BELOW] * 2
    by_name = {row.name: row.elo for row in table.rows}
    assert by_name["e"] is not None
    assert by_name["d"] is not None
    assert by_name["e"] > by_name["d"] > 0
    assert any("e met no rated bot" in notice for notice in table.notices)


def test_a_bot_that_only_beat_a_bot_below_the_scale_cannot_be_placed() -> None:
    rows = [Row("a", "b", 5, 1, 5), Row("b", "m", 9, 0, 0), Row("x", "m", 3, 0, 0)]
    table = _only(rate(rows))
    assert table.rows[-1].name == "x"
    assert (table.rows[-1].rank, table.rows[-1].bound) == (None, Bound.UNKNOWN)
    assert table.rows[-1].games == 3
    assert any("met no bot that places them: x" in notice for notice in table.notices)


def test_peeling_ranks_outer_bots_first() -> None:
    core = [Row("a", "b", 5, 1, 5), Row("b", "a", 5, 1, 5)]
    # top won few games against the core but every one against high: it stands outside of it
    rows = [
        *core,
        Row("high", "a", 90, 0, 0),
        Row("top", "a", 1, 0, 0),
        Row("top", "high", 9, 0, 0),
    ]
    table = _only(rate(rows))
    assert [row.name for row in table.rows][:2] == ["top", "high"]
    assert table.rows[0].median is not None
    assert table.rows[1].median is not None
    assert table.rows[0].median < table.rows[1].median


def test_an_unknown_anchor_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"'z' is none of the bots: a, b"):
        rate([Row("a", "b", 1, 0, 1)], options=RatingOptions(anchors=(("z", 0.0),)))


def test_an_anchor_outside_the_scale_is_said() -> None:
    rows = [Row("a", "b", 5, 1, 5), Row("b", "m", 9, 0, 0)]
    table = _only(rate(rows, options=RatingOptions(anchors=(("m", 100.0),))))
    assert any("the anchor m has no rating of its own" in notice for notice in table.notices)
    assert sum(row.elo or 0 for row in table.rows[:2]) == pytest.approx(0, abs=1e-9)


def test_counts_of_a_row_are_from_both_sides() -> None:
    rows = [Row("a", "b", 5, 1, 2), Row("b", "a", 3, 4, 6), Row("c", "a", 1, 0, 1)]
    row = {row.name: row for row in _only(rate(rows)).rows}["a"]
    assert (row.games, row.wins, row.draws, row.losses) == (23, 12, 5, 6)
    assert row.score == pytest.approx(14.5 / 23)
    assert row.opponents == 2


def test_the_frame_knows_na_and_leaves_elo_of_a_bound_empty() -> None:
    rows = [Row("a", "b", 5, 1, 5), Row("b", "m", 9, 0, 0)]
    frame = _only(rate(rows, names=["idle"])).frame().set_index("name")
    assert frame.loc["m", "bound"] == "below"
    assert frame["elo"].isna().to_dict() == {"a": False, "b": False, "m": True, "idle": True}
    assert frame["high"].isna().to_dict() == {"a": False, "b": False, "m": False, "idle": True}
    assert frame["low"].isna()["m"]
    assert frame["rank"].isna()["idle"]


def test_the_scale_says_zero_model_interval_and_games() -> None:
    table = _only(rate(rows_of(CASES["m01"])))
    for words in ("0 is the mean of the 8 rated bots", "95 % interval", "Davidson", "2800 games"):
        assert words in table.scale


# Game by game, with openings


@pytest.mark.parametrize(
    ("case_id", "key", "clusters", "openings", "words"),
    [
        ("r01", "se_cluster_opening", 20, 20, "clustered by opening (20 openings)"),
        ("r03", "se_cluster_opening", 40, 40, "clustered by opening (40 openings)"),
        ("r02", "se_cluster_pairing_x_opening", 72, 12, "conditional on this opening list"),
    ],
)
def test_errors_go_by_opening(
    case_id: str, key: str, clusters: int, openings: int, words: str
) -> None:
    case = BY_GAME[case_id]
    expected = case["expected"]
    tables, (pool,) = rate_games(results_of(case))
    table = _only(tables)
    assert pool.tables == tables
    width = student.ppf(0.975, clusters - 1)
    for row in table.rows:
        bot = int(row.name[3:])
        assert row.elo == pytest.approx(expected["elo_score_scale"][bot], abs=1e-5)
        assert row.error == pytest.approx(width * expected[key][bot], rel=1e-6)
        assert row.model_error == pytest.approx(Z_95 * expected["se_model_hessian"][bot], rel=1e-6)
    assert words in table.scale
    assert f"{openings} openings" in table.scale
    is_conditional = key.endswith("pairing_x_opening")
    expected_unit = ClusterUnit.PAIRING_OPENING if is_conditional else ClusterUnit.OPENING
    assert table.unit is expected_unit


def test_the_first_moves_error_always_goes_by_opening() -> None:
    """In r02 ratings go by pairing x opening; its 12 openings are the clusters of the advantage."""
    results = results_of(BY_GAME["r02"])
    table = _only(rate_games(results)[0])
    assert table.first_move is not None
    assert table.first_move.elo == pytest.approx(BY_GAME["r02"]["expected"]["adv"], abs=1e-5)
    (pool,) = rate_games(results)[1]
    assert pool.uncertainty is not None
    variance = pool.uncertainty.advantage_variance
    assert variance is not None
    assert pool.fit is not None
    error = student.ppf(0.975, 11) * pool.fit.elo_scale * math.sqrt(variance)
    assert table.first_move.error == pytest.approx(error)
    assert f"+/- {round(error)}" in table.scale


def test_few_openings_leave_the_first_move_without_an_error() -> None:
    table = _only(rate_games(games("ab11", "ba11", "ab02", "ba12"))[0])
    assert table.first_move is not None
    assert table.first_move.error is None
    assert table.unit is ClusterUnit.GAME
    assert "games taken as independent" in table.scale
    assert "The first move is worth" in table.scale
    assert "+/-" not in table.scale.split("The first move")[1]


def test_counts_alone_give_the_same_ratings_with_the_models_errors() -> None:
    results = results_of(BY_GAME["r01"])
    by_game, by_count = (
        _only(rate_games(results)[0]),
        _only(rate(results.counts().pairing_counts())),
    )
    assert [row.elo for row in by_count.rows] == pytest.approx([row.elo for row in by_game.rows])
    assert [row.error for row in by_count.rows] == pytest.approx(
        [row.model_error for row in by_game.rows]
    )
    assert by_count.unit is ClusterUnit.GAME


def test_marks_groups_and_chances_are_in_the_table() -> None:
    table = _only(rate_games(results_of(BY_GAME["r01"]))[0])
    assert sum(row.best or 0 for row in table.rows) == pytest.approx(1)
    assert table.rows[0].best == pytest.approx(1, abs=0.01)
    for place, row in enumerate(table.rows, 1):
        assert row.rank_low is not None
        assert row.rank_high is not None
        assert row.rank_low <= place <= row.rank_high
    assert table.differ.tolist() == table.differ.T.tolist()
    letters = [set(row.group) for row in table.rows]
    for one in range(5):
        for other in range(5):
            if one != other:
                assert bool(letters[one] & letters[other]) != bool(table.differ[one, other])
    assert table.rated == tuple(row.name for row in table.rows)
    assert [row.los_next for row in table.rows[:-1]] == np.diagonal(table.los, 1).tolist()


def test_refits_are_counted_and_repeatable() -> None:
    results = results_of(BY_GAME["r01"])
    told: list[int] = []
    options = RatingOptions(refits=7, seed=3)
    table = _only(rate_games(results, options, told.append)[0])
    assert told == [1] * 7
    assert all(row.bootstrap_error for row in table.rows)
    assert _only(rate_games(results, options)[0]) == table
    other = _only(rate_games(results, RatingOptions(refits=7, seed=4))[0])
    assert [row.bootstrap_error for row in other.rows] != [
        row.bootstrap_error for row in table.rows
    ]
    assert [row.error for row in other.rows] == [row.error for row in table.rows]


def test_too_few_openings_are_not_drawn_again_and_that_is_said() -> None:
    table = _only(rate_games(games("ab11", "ba11", "ab02", "ba12"), RatingOptions(refits=9))[0])
    assert all(row.bootstrap_error is None for row in table.rows)
    assert any("no bootstrap was made" in notice for notice in table.notices)


def test_a_bot_with_hardly_a_point_is_warned_of() -> None:
    results = played("abc", 20)
    lost = (results.first == 2) | (results.second == 2)
    points = np.where(lost, np.where(results.first == 2, 0, 2), results.half_points)
    points[np.flatnonzero(lost)[0]] = 1
    one_draw = dataclasses.replace(results, half_points=points.astype(np.int8))
    table = _only(rate_games(one_draw)[0])
    (notice,) = [text for text in table.notices if "fewer than 2 points" in text]
    row = next(row for row in table.rows if row.name == "c")
    assert row.model_error is not None
    assert notice.endswith(f"+/- c {round(row.model_error)}")
    assert _only(rate_games(results)[0]).notices == ()


def test_draws_as_half_points_are_another_model_with_the_same_order() -> None:
    results = results_of(BY_GAME["r01"])
    davidson = _only(rate_games(results)[0])
    score = _only(rate_games(results, RatingOptions(model=Model.SCORE))[0])
    assert [row.name for row in score.rows] == [row.name for row in davidson.rows]
    assert [row.elo for row in score.rows] == pytest.approx(
        [row.elo for row in davidson.rows], rel=0.05, abs=3
    )
    assert score.draw_rate is None
    assert "score model (as Ordo's)" in score.scale


def test_a_quick_table_leaves_out_what_takes_long() -> None:
    results = results_of(BY_GAME["r01"])
    full = _only(rate_games(results)[0])
    quick = _only(rate_games(results, RatingOptions(is_quick=True))[0])
    assert [(row.elo, row.error, row.los_next) for row in quick.rows] == [
        (row.elo, row.error, row.los_next) for row in full.rows
    ]
    assert {(row.group, row.best, row.rank_low, row.rank_high) for row in quick.rows} == {
        ("", None, None, None)
    }


def test_no_decisive_game_and_no_game_at_all() -> None:
    tables, (pool,) = rate_games(games("ab=1", "ba=1"))
    assert pool.fit is None
    assert [row.elo for row in _only(tables).rows] == [0, 0]
    assert rate_games(games(names="")) == ((), ())
    tables, pools = rate_games(games(names="ab"))
    assert pools == ()
    assert [row.rank for row in _only(tables).rows] == [None, None]


def test_pools_are_rated_by_themselves() -> None:
    results = games(
        *("ab11", "ba11", "ab02", "ba12", "ac11", "ca11"), *("de11", "ed11"), names="abcdez"
    )
    tables, pools = rate_games(results)
    assert [sorted(row.name for row in table.rows) for table in tables] == [
        ["a", "b", "c", "z"],
        ["d", "e"],
    ]
    assert [pool.counts.names for pool in pools] == [("a", "b", "c"), ("d", "e")]
    assert any("without games: z" in notice for notice in tables[0].notices)
    alone = _only(rate_games(results.among(np.array([3, 4])))[0])
    assert [row.elo for row in tables[1].rows] == [row.elo for row in alone.rows]


def _few(points_won: str, others: str = "") -> list[str]:
    """a and b split 8 openings; c takes these results from a, and loses as often to b."""
    texts = [text for opening in range(8) for text in (f"ab1{opening}", f"ba1{opening}")]
    for opening, result in enumerate(points_won):
        texts += [f"ca{result}{opening}", f"cb0{opening}"]
    return texts + [f"cd{result}{opening}" for opening, result in enumerate(others)]


@pytest.mark.parametrize(
    ("won", "others", "is_warned"),
    [("1=000000", "", True), ("11000000", "", False), ("1==00000", "", False),
     ("1=000000", "111111", True)],
)  # fmt: skip
def test_few_points_are_fewer_than_two_from_bots_of_the_scale(
    won: str, others: str, is_warned: bool
) -> None:
    """Points from d, which lost everything and has a bound only, do not make an interval hold."""
    table = _only(rate_games(games(*_few(won, others), names="abcd"))[0])
    bounds = {row.name: row.bound for row in table.rows}
    assert bounds["c"] is Bound.EXACT
    assert bounds["d"] is not Bound.EXACT
    found = [text for text in table.notices if "fewer than 2 points" in text]
    assert len(found) == is_warned
    assert all("too narrow for c;" in text for text in found)


def test_a_twin_is_named_in_a_notice() -> None:
    """b and c split every opening, and take the same from a."""
    chance = np.random.default_rng(1)
    texts = []
    for opening in range(24):
        texts += [f"bc1{opening:02}", f"cb1{opening:02}"]
        for pair in ("ab", "ba"):
            result = chance.integers(2)
            texts += [f"{one}{result}{opening:02}" for one in (pair, pair.replace("b", "c"))]
    table = _only(rate_games(games(*texts, names="abc"))[0])
    assert table.unit is ClusterUnit.OPENING
    (notice,) = [text for text in table.notices if "the openings say nothing" in text]
    assert "about the difference of b and c: games taken as independent there" in notice
    plain = _only(rate_games(played("abc", 24))[0])
    assert not any("the openings say nothing" in text for text in plain.notices)


def test_the_first_moves_interval_says_what_it_rests_on() -> None:
    texts = [text for opening in range(20) for text in (f"ab1{opening:02}", f"ba1{opening:02}")]
    by_game = _only(rate_games(games(*texts))[0])
    assert by_game.first_move is not None
    assert not by_game.first_move.by_opening
    assert by_game.unit is ClusterUnit.GAME
    model = _only(rate(games(*texts).counts().pairing_counts()))
    assert by_game.first_move == model.first_move
    assert "games taken as independent" in by_game.scale.split("The first move")[0]
    assert "(" not in by_game.scale.split("The first move")[1]
    conditional = _only(rate_games(results_of(BY_GAME["r02"]))[0])
    assert "(clustered by opening)" in conditional.scale.split("The first move")[1]


def test_the_anchor_is_in_the_table() -> None:
    rows = [Row("a", "b", 5, 1, 5), Row("b", "m", 9, 0, 0)]
    assert _only(rate(rows)).anchor is None
    assert _only(rate(rows, options=RatingOptions(anchors=(("b", 1.0),)))).anchor == "b"
    assert _only(rate(rows, options=RatingOptions(anchors=(("m", 1.0),)))).anchor is None
    drawn = [Row("a", "b", 0, 3, 0)]
    assert _only(rate(drawn, options=RatingOptions(anchors=(("b", 1.0),)))).anchor == "b"


def test_pairings_that_cannot_be_drawn_again_are_named() -> None:
    results = played("abc", 6, seed=4)
    results = results.where((results.first + results.second != 3) | (results.opening == 0))
    table = _only(rate_games(results, RatingOptions(refits=3))[0])
    assert table.unit is ClusterUnit.PAIRING_OPENING
    assert any("cannot be drawn again: b and c" in notice for notice in table.notices)
    full = _only(rate_games(played("abc", 6, seed=4), RatingOptions(refits=3))[0])
    assert not any("drawn again" in notice for notice in full.notices)


def test_a_fit_that_does_not_converge_is_not_to_be_trusted() -> None:
    table = _only(rate([Row("a", "b", 629_662, 0, 0)]))
    assert any("did not converge" in notice for notice in table.notices)


def test_error_ratios_are_of_standard_errors() -> None:
    """Half widths have Student's quantiles beside the normal one: their ratio is another."""
    case = BY_GAME["r01"]
    table = _only(rate_games(results_of(case))[0])
    expected = case["expected"]
    ratios = np.array(expected["se_cluster_opening"]) / np.array(expected["se_model_hessian"])
    assert sorted(table.error_ratios()) == pytest.approx(sorted(ratios), rel=1e-6)
    by_count = _only(rate(results_of(case).counts().pairing_counts()))
    assert by_count.error_ratios() == []
