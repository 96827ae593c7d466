"""Going on with a store: every shortcut against looking up every game by its id."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.director.agenda import Agenda
from harness.director.settled import read_settled, resume
from harness.play.types import Opening
from harness.rules.position import STANDARD_START
from harness.store.sqlite import Store
from harness.tournament.batch import Batch, GamePlan
from harness.tournament.pairing import next_batch
from harness.tournament.results import SettledGames
from harness.tournament.schedule import Schedule
from harness.tournament.spec import EncounterSpec, TournamentFormat, TournamentSpec
from tests.unit.store.builders import record
from tests.unit.tournament.tables import spec_of

FIXED = ("round-robin", "gauntlet", "list")
LABELS = ("", "fast", "9a")


@st.composite
def extents(draw: st.DrawFn, forms: tuple[str, ...] = FIXED) -> TournamentSpec:
    """Specs of few bots, so that one after the other has many games in common."""
    form = draw(st.sampled_from(forms))
    names = draw(st.lists(st.sampled_from("abcd"), min_size=2, unique=True))
    encounter = st.builds(
        EncounterSpec,
        bots=st.sampled_from(list(combinations(names, 2))),
        rounds=st.none() | st.integers(1, 3),
        label=st.sampled_from(LABELS),
    )
    encounters = st.lists(
        encounter, min_size=1, max_size=3, unique_by=lambda one: (frozenset(one.bots), one.label)
    )
    return spec_of(
        names,
        form,
        rounds=draw(st.integers(1, 3)),
        cycles=draw(st.integers(1, 2)),
        encounters=tuple(draw(encounters)) if form == "list" else (),
    )


@st.composite
def changes(draw: st.DrawFn, forms: tuple[str, ...] = FIXED) -> list[TournamentSpec]:
    """The specs of one run after the other: often the same, or with more or fewer rounds."""
    specs = [draw(extents(forms))]
    for _ in range(draw(st.integers(1, 4))):
        rounds = st.builds(replace, st.sampled_from(specs), rounds=st.integers(1, 4))
        specs.append(draw(st.sampled_from(specs) | rounds | extents(forms)))
    return specs


@contextmanager
def new_store() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as name, Store.create_or_open(Path(name)) as store:
        store._connection.execute("PRAGMA synchronous = OFF")  # a test need not wait for disks
        yield store


def only_batch(spec: TournamentSpec) -> Batch:
    batch = next_batch(spec, [])
    assert batch is not None
    return batch


def stored_places(store: Store) -> dict[str, int | None]:
    return dict(store._connection.execute("SELECT id, schedule_index FROM games").fetchall())


def add(store: Store, plans: list[GamePlan]) -> None:
    store.add(
        [
            record(one.game_id, black=one.black, white=one.white, index=one.index, moves=())
            for one in plans
        ]
    )


def jobs(spec: TournamentSpec, batch: Batch, settled: SettledGames) -> list[list[str]]:
    """The ids of each job, as the agenda hands them out."""

    def opening(number: int) -> Opening:
        return Opening(STANDARD_START, ())

    agenda = Agenda(spec, batch, settled, {}, opening, earlier=settled.earlier)
    return [
        [game.game_id for game in job.games] for job in iter(agenda.next_job, None) if job.games
    ]


@settings(deadline=None)
@given(changes(), st.randoms(use_true_random=False), st.sampled_from([0.2, 0.7, 1.0]))
def test_extent_after_extent_is_as_if_every_id_were_looked_up(
    specs: list[TournamentSpec], chance: Random, share: float
) -> None:
    with new_store() as store:
        for spec in specs:
            batch = only_batch(spec)
            ids = store.stored_ids()
            plain = SettledGames(set(ids))
            index_of = {plan.game_id: plan.index for plan in batch}
            here = {index_of[one] for one in ids if one in index_of}

            looked_at = read_settled(spec, store)  # as --dry-run does: nothing is written
            resumption = resume(spec, store)

            assert stored_places(store) == {one: index_of.get(one) for one in ids}
            assert resumption.surplus == len(ids) - len(here)
            assert resumption.schedule == Schedule.of(spec, plain)
            for settled in (looked_at, resumption.settled):
                assert [plan.index for plan in batch if settled.has(plan)] == sorted(here)
                schedule = Schedule.of(spec, settled)
                assert schedule.is_complete == (len(here) == len(batch))
                assert schedule.count_settled(settled) == (len(here), 0)
                assert jobs(spec, batch, settled) == jobs(spec, batch, plain)
            add(store, [one for one in batch if one.index not in here and chance.random() < share])


@settings(deadline=None)
@given(changes((*FIXED, "swiss", "knock-out")), st.randoms(use_true_random=False))
def test_formats_that_take_results_and_others_may_follow_each_other(
    specs: list[TournamentSpec], chance: Random
) -> None:
    with new_store() as store:
        for spec in specs:
            half_points = store.half_points()
            plain = SettledGames(set(half_points), half_points)
            expected = Schedule.of(spec, plain)
            resumption = resume(spec, store)
            assert resumption.schedule == expected
            assert stored_places(store) == {one: expected.index_of(one) for one in half_points}
            counted = resumption.schedule.count_settled(resumption.settled)
            assert counted == (expected.count(half_points), 0)
            batch = expected.current
            if batch is not None:
                assert jobs(spec, batch, resumption.settled) == jobs(spec, batch, plain)
                add(store, [one for one in batch if one.game_id not in plain])
                if spec.format.depends_on_results and chance.random() < 0.5:
                    resume(spec, store)


class Killed(BaseException):
    """Whatever ends a run at any moment."""


@settings(deadline=None)
@given(changes(), st.integers(0, 12))
def test_a_run_that_is_killed_while_it_writes_places_leaves_those_before(
    specs: list[TournamentSpec], looked_up: int
) -> None:
    def until_killed(batch: Batch) -> Callable[[str], int | None]:
        left = iter(range(looked_up))

        def index_of(game_id: str) -> int | None:
            if next(left, None) is None:
                raise Killed
            return batch.index_of(game_id)

        return index_of

    with new_store() as store:
        for spec in specs:
            batch = only_batch(spec)
            before = stored_places(store), store.extent()
            try:
                store.reschedule(
                    until_killed(batch), batch.extent, batch.unchanged_since(before[1])
                )
            except Killed:
                assert (stored_places(store), store.extent()) == before
            resume(spec, store)
            assert store.extent() == batch.extent
            assert stored_places(store) == {one: batch.index_of(one) for one in before[0]}
            add(store, list(batch)[:7])


@given(extents(), extents())
def test_below_what_is_unchanged_the_same_games_have_the_same_places(
    before: TournamentSpec, now: TournamentSpec
) -> None:
    ids = [[plan.game_id for plan in only_batch(spec)] for spec in (before, now)]
    end = only_batch(now).unchanged_since(only_batch(before).extent)
    assert end <= len(ids[1])
    assert ids[0][:end] == ids[1][:end]


@pytest.mark.parametrize("cycles", [1, 2])
@pytest.mark.parametrize(("before", "now", "pairs"), [(3, 3, 3), (3, 5, 3), (5, 3, 3)])
def test_rounds_more_or_less_leave_the_places_of_the_others(
    before: int, now: int, pairs: int, cycles: int
) -> None:
    batches = [
        only_batch(spec_of("abc", "round-robin", rounds, cycles=cycles)) for rounds in (before, now)
    ]
    assert batches[1].unchanged_since(batches[0].extent) == 2 * 3 * pairs * cycles


def test_of_encounters_with_rounds_of_their_own_nothing_stays_when_one_changes() -> None:
    def batch(*rounds: int) -> Batch:
        pairs = [("a", "b"), ("b", "c")]
        encounters = tuple(map(EncounterSpec, pairs, rounds))
        return only_batch(spec_of("abc", "list", encounters=encounters))

    assert batch(2, 3).unchanged_since(batch(2, 3).extent) == 10
    assert batch(2, 3).unchanged_since(batch(2, 4).extent) == 0
    assert batch(3, 3).unchanged_since(batch(2, 2).extent) == 8


@pytest.mark.parametrize("text", ["", "rubbish", "[]", "{}", "1", '{"rounds":1}', "null"])
def test_an_extent_that_cannot_be_read_changes_everything(text: str) -> None:
    assert only_batch(spec_of("abc", "round-robin")).unchanged_since(text) == 0


@pytest.mark.parametrize("value", ["1", None, 1.0, [1]])
def test_an_extent_of_other_types_changes_everything(value: object) -> None:
    import json

    batch = only_batch(spec_of("abc", "round-robin"))
    text = json.dumps(json.loads(batch.extent) | {"rounds": value})
    assert batch.unchanged_since(text) == 0


@given(extents(), st.data())
def test_an_id_that_is_written_otherwise_is_none(spec: TournamentSpec, data: st.DataObject) -> None:
    batch = only_batch(spec)
    index_of = {plan.game_id: plan.index for plan in batch}
    text = data.draw(st.sampled_from(list(index_of)))
    place = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(place, len(text)))
    insert = data.draw(st.text("0123456789ab.~\u0663\u00b2\n +-_", max_size=3))
    changed = text[:place] + insert + text[end:]
    assert batch.index_of(changed) == index_of.get(changed)


@pytest.mark.parametrize(
    "end", ["01a", "0a", "1", "a", "", "1c", "1A", "\u0661a", "\u00b9a", "+1a"]
)
def test_a_pair_is_written_in_one_way_only(end: str) -> None:
    assert only_batch(spec_of("ab", "round-robin", 20)).index_of(f"a~b.{end}") is None


def test_a_pair_number_of_many_digits_is_none() -> None:
    batch = only_batch(spec_of("ab", "round-robin", 10**18))
    assert batch.index_of(f"a~b.{10**18 - 1}b") == 2 * 10**18 - 3
    assert batch.index_of(f"a~b.{10**18}a") is None
    assert batch.index_of("a~b.1" + "0" * 5000 + "a") is None


def test_the_places_of_another_schedule_are_not_read() -> None:
    spec = spec_of("abc", "round-robin", 2)
    assert spec.format is TournamentFormat.ROUND_ROBIN
    with new_store() as store:
        assert store.extent() == ""
        resume(spec, store)
        assert store.extent() == only_batch(spec).extent
        assert store.places("another") is None
        resume(spec_of("abcd", "swiss"), store)
        assert store.extent() == ""
