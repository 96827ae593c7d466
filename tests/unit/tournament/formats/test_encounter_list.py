from __future__ import annotations

from harness.play.clock import TimeControl
from harness.tournament.pairing import most_pairs
from harness.tournament.spec import EncounterSpec
from tests.unit.tournament.tables import batch_after, spec_of

FAST = TimeControl.parse("1")
LIST = (
    EncounterSpec(("b", "a")),
    EncounterSpec(("a", "b"), 1, FAST, "fast"),
    EncounterSpec(("c", "a"), 3),
)


def test_encounters_are_interleaved_as_long_as_they_last() -> None:
    batch = batch_after(spec_of("abc", "list", rounds=2, encounters=LIST), [])
    ids = [plan.game_id for plan in batch if plan.leg == "a"]
    assert ids == ["a~b.1a", "a~b.fast.1a", "a~c.1a", "a~b.2a", "a~c.2a", "a~c.3a"]
    assert len(batch) == 12


def test_a_cycle_is_the_whole_list_and_pair_numbers_go_on() -> None:
    batch = batch_after(spec_of("abc", "list", rounds=2, cycles=2, encounters=LIST), [])
    ids = [plan.game_id for plan in batch if plan.leg == "a"]
    assert ids[6:] == ["a~b.3a", "a~b.fast.2a", "a~c.4a", "a~b.4a", "a~c.5a", "a~c.6a"]
    assert [batch.index_of(plan.game_id) for plan in batch] == list(range(24))
    assert [batch.plan(index) for index in range(24)] == list(batch)
    assert batch.index_of("a~b.fast.3a") is None
    assert batch.index_of("a~b.slow.1a") is None


def test_own_time_control_and_the_same_openings() -> None:
    batch = batch_after(spec_of("abc", "list", encounters=LIST), [])
    plans = {plan.game_id: plan for plan in batch}
    assert plans["a~b.fast.1b"].time_control == FAST
    assert plans["a~b.1b"].time_control is None
    assert {plan.opening_number for plan in batch if plan.pair == 1} == {0}


def test_openings_are_needed_for_the_longest_encounter() -> None:
    assert most_pairs(spec_of("abc", "list", rounds=2, cycles=4, encounters=LIST)) == 12
    assert most_pairs(spec_of("abc", "knock-out", rounds=2, cycles=4)) == 12
    assert most_pairs(spec_of("abc", "swiss", rounds=2, cycles=4)) == 8


def test_a_million_rounds_cost_nothing() -> None:
    long = (EncounterSpec(("a", "b"), 1_000_000), EncounterSpec(("a", "c"), 999_999))
    batch = batch_after(spec_of("abc", "list", cycles=1000, encounters=long), [])
    assert len(batch) == 2 * 1000 * 1_999_999
    last = batch.plan(len(batch) - 1)
    assert last.game_id == "a~b.1000000000b"
    assert batch.index_of(last.game_id) == last.index
