from __future__ import annotations

import pytest

from harness.play.bot_definition import BotDefinition
from harness.play.clock import TimeControl
from harness.rules.position import STANDARD_START
from harness.tournament.encounter import Encounter, encounter_id
from harness.tournament.formats.round_robin import round_robin_encounters
from harness.tournament.pairing import Batch, next_batch
from harness.tournament.spec import OpeningSource, TournamentSpec


def batch_of(names: list[str], rounds: int) -> Batch:
    spec = TournamentSpec(
        name="test",
        bots=tuple(BotDefinition(name, module="bots.x") for name in names),
        openings=OpeningSource(STANDARD_START),
        time_control=TimeControl.parse("1"),
        rounds=rounds,
    )
    assert next_batch(spec, [()]) is None
    batch = next_batch(spec, [])
    assert batch is not None
    return batch


def test_the_schedule_of_three_bots_in_full() -> None:
    rows = [
        (plan.index, plan.game_id, plan.black, plan.white, plan.opening_number)
        for plan in batch_of(["b", "a", "C"], 2)
    ]
    assert rows == [
        (0, "C~a.1a", "C", "a", 0),
        (1, "C~a.1b", "a", "C", 0),
        (2, "C~b.1a", "C", "b", 0),
        (3, "C~b.1b", "b", "C", 0),
        (4, "a~b.1a", "a", "b", 0),
        (5, "a~b.1b", "b", "a", 0),
        (6, "C~a.2a", "C", "a", 1),
        (7, "C~a.2b", "a", "C", 1),
        (8, "C~b.2a", "C", "b", 1),
        (9, "C~b.2b", "b", "C", 1),
        (10, "a~b.2a", "a", "b", 1),
        (11, "a~b.2b", "b", "a", 1),
    ]


def test_encounter_names_are_in_byte_order() -> None:
    assert encounter_id("b", "B") == "B~b"
    assert encounter_id("a-2", "a") == "a~a-2"
    assert encounter_id("a.1", "a+1") == "a+1~a.1"


@pytest.mark.parametrize("count", range(2, 12))
def test_every_stretch_of_encounters_has_each_bot_at_most_once(count: int) -> None:
    names = [f"bot{number:02}" for number in range(count)]
    encounters = round_robin_encounters(names)
    assert len(encounters) == len(set(encounters)) == count * (count - 1) // 2
    size = count // 2
    for start in range(0, len(encounters), size):
        seated = [name for encounter in encounters[start : start + size] for name in encounter]
        assert len(seated) == len(set(seated)) == 2 * size


@pytest.mark.parametrize(
    "game_id",
    [
        "", "a~b", "a~b.1", "a~b.0a", "a~b.01a", "a~b.1c", "a~b.3a", "b~a.1a", "a~c.1a", "a~b.1A",
        "a~b.-1a", "a~b.1a ", "a~b.1a\n", "a~b.٣a", "a~b." + "9" * 5000 + "a", "x.1a",
    ],
)  # fmt: skip
def test_ids_that_are_not_in_the_schedule_have_no_index(game_id: str) -> None:
    assert batch_of(["a", "b"], 2).index_of(game_id) is None


def test_names_with_dots_are_read_back() -> None:
    batch = batch_of(["v1.2a", "v1.2", "v1.2.1b"], 3)
    assert [batch.index_of(plan.game_id) for plan in batch] == list(range(18))


def test_ten_million_games_are_planned_one_at_a_time() -> None:
    batch = batch_of([f"bot{number}" for number in range(101)], 1000)
    assert len(batch) == 10_100_000
    plan = batch.plan(10_099_999)
    assert (plan.pair, plan.leg, plan.opening_number) == (1000, "b", 999)
    assert batch.index_of(plan.game_id) == 10_099_999


@pytest.mark.parametrize("index", [-1, 4])
def test_an_index_outside_the_batch_is_refused(index: int) -> None:
    with pytest.raises(IndexError):
        batch_of(["a", "b"], 2).plan(index if index < 0 else 8)


def test_a_later_batch_goes_on_with_the_index() -> None:
    batch = Batch(number=3, first_index=100, encounters=(Encounter("a", "b", 1),))
    assert [(plan.index, plan.batch) for plan in batch] == [(100, 3), (101, 3)]
    assert batch.index_of("a~b.1b") == 101
    with pytest.raises(IndexError):
        batch.plan(0)
