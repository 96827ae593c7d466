from __future__ import annotations

from harness.tournament.final_table import final_table
from harness.tournament.results import SettledGames
from harness.tournament.schedule import Schedule
from tests.unit.tournament.tables import play_all, spec_of


def test_a_schedule_knows_the_batches_that_follow_from_what_is_settled() -> None:
    spec = spec_of("1234", "swiss")
    batches, results, settled = play_all(spec, lambda plan: 2 if plan.black < plan.white else 0)
    schedule = Schedule.of(spec, settled)
    assert schedule.batches == tuple(batches)
    assert schedule.results == tuple(results)
    assert schedule.is_complete
    assert schedule.current is None
    assert (schedule.planned, schedule.count(settled.stored)) == (8, 8)
    for batch in batches:
        for plan in batch:
            assert schedule.index_of(plan.game_id) == plan.index


def test_one_open_game_hides_what_follows() -> None:
    spec = spec_of("1234", "swiss")
    batches, _, settled = play_all(spec, lambda _: 1)
    open_game = batches[0].plan(3).game_id
    settled.stored.remove(open_game)
    half_points = settled.half_points.pop(open_game)
    schedule = Schedule.of(spec, settled)
    assert schedule.current == batches[0]
    assert schedule.results == ()
    assert not schedule.is_complete
    assert schedule.index_of(batches[1].plan(4).game_id) is None
    settled.store(open_game, half_points)
    assert schedule.advanced(settled) == Schedule.of(spec, settled)


def test_games_walked_over_are_settled() -> None:
    spec = spec_of("1234", "knock-out")
    batches, _, settled = play_all(spec, lambda plan: 2 if plan.black < plan.white else 0)
    for plan in batches[0]:
        if plan.encounter == "1~4":
            settled.stored.remove(plan.game_id)
            del settled.half_points[plan.game_id]
            settled.walk_over(plan.game_id, "1")
    schedule = Schedule.of(spec, settled)
    assert schedule.results[0][0].absent == {"1"}
    assert schedule.current is not None
    assert [one.id for one in schedule.current.encounters] == ["2~4"]


def test_a_single_batch_is_complete_when_every_game_is_stored() -> None:
    spec = spec_of("abc", "round-robin", rounds=2)
    batches, _, settled = play_all(spec, lambda _: 1)
    settled.stored.add("a~b.3a")  # of an earlier, larger extent
    assert Schedule.of(spec, settled).is_complete
    settled.stored.remove("a~b.2a")
    schedule = Schedule.of(spec, settled)
    assert schedule.current == batches[0]
    assert schedule.count(settled.stored) == 11


def test_the_table_of_a_swiss() -> None:
    spec = spec_of("123", "swiss")
    _, _, settled = play_all(spec, lambda plan: 2 if plan.black < plan.white else 1)
    table = final_table(Schedule.of(spec, settled))
    assert table is not None
    assert table.title == "Swiss, 2 rounds"
    assert table.rows == (
        ("1", "1", "2", "2", "3", "4", "0"),
        ("2", "2", "1", "2", "0.5", "2", "1"),
        ("2", "3", "1", "2", "0.5", "2", "1"),
    )


def test_the_table_of_a_knock_out_and_of_one_that_is_open() -> None:
    spec = spec_of("123", "knock-out")
    _, _, settled = play_all(spec, lambda plan: 2 if plan.black < plan.white else 1)
    table = final_table(Schedule.of(spec, settled))
    assert table is not None
    assert table.rows == (
        ("1", "1", "", "1", "no opponent"),
        ("1", "2 - 3", "1.5 - 0.5", "2", "more points"),
        ("2", "1 - 2", "1.5 - 0.5", "1", "more points"),
    )
    assert table.notes == ("Final ranking: 1 1; 2 2; 3 3.",)
    table = final_table(Schedule.of(spec, SettledGames()))
    assert table is not None
    assert table.rows[1] == ("1", "2 - 3", "0 - 0", "", "open")
    assert table.notes == ()


def test_formats_that_are_only_rated_have_no_table() -> None:
    assert final_table(Schedule(spec_of("ab", "gauntlet"))) is None
