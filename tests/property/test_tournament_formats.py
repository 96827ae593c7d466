"""What must hold in every format, whatever the field and the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.tournament.batch import Batch, GamePlan
from harness.tournament.encounter import Encounter, encounter_id
from harness.tournament.formats.matching import perfect_matching
from harness.tournament.formats.swiss import swiss_round_count
from harness.tournament.pairing import next_batch
from harness.tournament.results import BatchResult, SettledGames, batch_result
from harness.tournament.schedule import Schedule
from harness.tournament.spec import EncounterSpec, TournamentFormat, TournamentSpec
from tests.unit.tournament.tables import play_all, spec_of

NAMES = st.from_regex(r"[A-Za-z0-9._+-]{1,6}", fullmatch=True)
ADAPTIVE = st.sampled_from(["swiss", "knock-out"])
ANY_FORMAT = st.sampled_from([member.value for member in TournamentFormat])


@st.composite
def specs(draw: st.DrawFn, form: st.SearchStrategy[str] | None = None) -> TournamentSpec:
    chosen = draw(ANY_FORMAT if form is None else form)
    names = draw(st.lists(NAMES, min_size=2, max_size=9, unique=True))
    encounters: list[EncounterSpec] = []
    if chosen == "list":
        pairs = st.sampled_from(list(combinations(names, 2)))
        label = st.sampled_from(["", "fast", "slow", "9a"])
        encounters = draw(
            st.lists(
                st.builds(
                    EncounterSpec,
                    bots=pairs,
                    rounds=st.none() | st.integers(1, 4),
                    label=label,
                ),
                min_size=1,
                max_size=6,
                unique_by=lambda one: encounter_id(*one.bots, one.label),
            )
        )
    return spec_of(
        names,
        chosen,
        rounds=draw(st.integers(1, 3)),
        cycles=draw(st.integers(1, 3)),
        seeds=draw(st.integers(1, len(names) - 1)),
        swiss_rounds=draw(st.none() | st.integers(1, 8)) if chosen == "swiss" else None,
        tie_break_pairs=draw(st.integers(0, 3)),
        encounters=tuple(encounters),
    )


@st.composite
def played(
    draw: st.DrawFn, form: st.SearchStrategy[str] | None = None
) -> tuple[TournamentSpec, list[Batch], list[BatchResult], SettledGames]:
    spec = draw(specs(form))
    chance = draw(st.randoms(use_true_random=False))
    likely = draw(st.sampled_from([[0, 1, 2], [1], [1, 1, 1, 2]]))
    return spec, *play_all(spec, lambda _: chance.choice(likely))


def all_plans(batches: Sequence[Batch]) -> Iterator[GamePlan]:
    return (plan for batch in batches for plan in batch)


@settings(deadline=None)
@given(played())
def test_indices_ids_and_colours_of_all_batches(
    tournament: tuple[TournamentSpec, list[Batch], list[BatchResult], SettledGames],
) -> None:
    spec, batches, _, settled = tournament
    schedule = Schedule.of(spec, settled)
    assert schedule.is_complete
    assert schedule.batches == tuple(batches)
    plans = list(all_plans(batches))
    assert [plan.index for plan in plans] == list(range(len(plans)))
    assert len({plan.game_id for plan in plans}) == len(plans) == schedule.planned
    for plan in plans:
        assert schedule.index_of(plan.game_id) == plan.index
        assert schedule.batches[plan.batch].plan(plan.index) == plan
        assert plan.opening_number == plan.pair - 1
    for leg_a, leg_b in zip(plans[::2], plans[1::2], strict=True):
        assert (leg_a.encounter, leg_a.pair, leg_a.leg) == (leg_b.encounter, leg_b.pair, "a")
        assert (leg_a.black, leg_a.white) == (leg_b.white, leg_b.black)
        assert leg_a.black < leg_a.white


@settings(deadline=None)
@given(played())
def test_each_encounter_has_its_pairs_in_order(
    tournament: tuple[TournamentSpec, list[Batch], list[BatchResult], SettledGames],
) -> None:
    spec, batches, _, _ = tournament
    for batch in batches:
        numbers: dict[str, list[int]] = {}
        for plan in batch:
            numbers.setdefault(plan.encounter, []).append(plan.pair)
        for encounter in batch.encounters:
            first = encounter.first_pair
            count = encounter.rounds * batch.cycles
            expected = [number for number in range(first, first + count) for _ in "ab"]
            assert numbers[encounter.id] == expected
    pairs = Counter(plan.encounter for plan in all_plans(batches) if plan.leg == "a")
    names = [bot.name for bot in spec.bots]
    everyone = set(combinations(sorted(names), 2))
    each = spec.rounds * spec.cycles
    match spec.format:
        case TournamentFormat.ROUND_ROBIN:
            assert pairs == {encounter_id(*pair): each for pair in everyone}
        case TournamentFormat.GAUNTLET:
            seeds = set(names[: spec.seeds])
            meeting = [pair for pair in everyone if len(seeds & set(pair)) == 1]
            assert pairs == {encounter_id(*pair): each for pair in meeting}
        case TournamentFormat.LIST:
            assert pairs == {
                encounter_id(*one.bots, one.label): (one.rounds or spec.rounds) * spec.cycles
                for one in spec.encounters
            }
        case TournamentFormat.SWISS:
            assert sum(pairs.values()) == swiss_round_count(spec) * (len(names) // 2) * each
        case TournamentFormat.KNOCK_OUT:
            assert len(pairs) == len(names) - 1
            assert all(each <= count <= each + spec.tie_break_pairs for count in pairs.values())


@settings(deadline=None)
@given(played(ADAPTIVE))
def test_no_bot_is_twice_in_a_round(
    tournament: tuple[TournamentSpec, list[Batch], list[BatchResult], SettledGames],
) -> None:
    _, batches, _, _ = tournament
    for batch in batches:
        seated = Counter(name for encounter in batch.encounters for name in encounter.bots)
        assert set(seated.values()) == {1}


@settings(deadline=None)
@given(played(ADAPTIVE), st.data())
def test_the_same_results_give_the_same_batches_wherever_the_run_was_broken_off(
    tournament: tuple[TournamentSpec, list[Batch], list[BatchResult], SettledGames],
    data: st.DataObject,
) -> None:
    spec, batches, results, settled = tournament
    for number, batch in enumerate(batches):
        assert next_batch(spec, results[:number]) == batch
    # A run stored any part of one batch, in any order, after all of those before.
    broken = data.draw(st.integers(0, len(batches) - 1))
    before = [plan.game_id for plan in all_plans(batches[:broken])]
    part = [plan.game_id for plan in batches[broken]]
    part = data.draw(st.permutations(part))[: data.draw(st.integers(0, len(part) - 1))]
    stored = SettledGames()
    for game_id in [*part, *before]:
        stored.store(game_id, settled.half_points[game_id])
    schedule = Schedule.of(spec, stored)
    assert schedule.current == batches[broken]
    assert schedule.results == tuple(results[:broken])
    for plan in batches[broken]:
        stored.store(plan.game_id, settled.half_points[plan.game_id])
    assert schedule.advanced(stored) == Schedule.of(spec, stored)
    assert Schedule.of(spec, stored).batches == tuple(batches[: broken + 2])


@settings(deadline=None)
@given(specs(st.sampled_from(["round-robin", "gauntlet", "list"])), st.integers(0, 2), NAMES)
def test_more_rounds_cycles_bots_and_encounters_keep_the_games(
    spec: TournamentSpec, more: int, name: str
) -> None:
    names = [bot.name for bot in spec.bots]
    longer = tuple(replace(one, rounds=one.rounds and one.rounds + more) for one in spec.encounters)
    if name not in names:
        names.append(name)
        longer = (EncounterSpec((name, names[0]), 1, None, "new"), *longer)
    larger = spec_of(
        names,
        spec.format.value,
        rounds=spec.rounds + more,
        cycles=spec.cycles + more,
        seeds=spec.seeds,
        encounters=longer if spec.format is TournamentFormat.LIST else (),
    )
    small, large = next_batch(spec, []), next_batch(larger, [])
    assert small is not None
    assert large is not None
    for plan in small:
        index = large.index_of(plan.game_id)
        assert index is not None
        same = large.plan(index)
        assert (same.black, same.white, same.opening_number) == (
            plan.black,
            plan.white,
            plan.opening_number,
        )


@settings(deadline=None)
@given(played(st.just("swiss")), st.integers(1, 3))
def test_more_swiss_rounds_come_after_those_that_were_played(
    tournament: tuple[TournamentSpec, list[Batch], list[BatchResult], SettledGames], more: int
) -> None:
    spec, batches, _, settled = tournament
    longer = replace(spec, swiss_rounds=swiss_round_count(spec) + more)
    schedule = Schedule.of(longer, settled)
    assert len(schedule.batches) == len(batches) + 1
    for batch, before in zip(schedule.batches, batches, strict=False):
        assert list(batch) == list(before)


@settings(deadline=None)
@given(played(st.just("swiss")))
def test_swiss_byes_are_fair_and_nobody_meets_twice_while_that_is_possible(
    tournament: tuple[TournamentSpec, list[Batch], list[BatchResult], SettledGames],
) -> None:
    spec, batches, _, _ = tournament
    names = [bot.name for bot in spec.bots]
    times_met: Counter[frozenset[str]] = Counter()
    byes = Counter(dict.fromkeys(names, 0))
    for batch in batches:
        pairs = [frozenset(encounter.bots) for encounter in batch.encounters]
        resting = set(names) - set().union(*pairs)
        assert len(resting) == len(names) % 2
        fewest = min(byes.values())
        assert all(byes[name] == fewest for name in resting)
        worst = max(times_met[pair] for pair in pairs)
        candidates = [name for name in names if byes[name] == fewest] if resting else [None]
        if worst:
            assert not any(
                can_be_paired([name for name in names if name != left_out], times_met, worst - 1)
                for left_out in candidates
            )
        times_met.update(pairs)
        byes.update(resting)


def can_be_paired(names: list[str], times_met: Counter[frozenset[str]], most: int) -> bool:
    """Tell by trying everything whether all can be paired without meeting too often."""
    if not names:
        return True
    first, *others = names
    return any(
        times_met[frozenset((first, other))] <= most
        and can_be_paired([name for name in others if name != other], times_met, most)
        for other in others
    )


@settings(deadline=None, max_examples=300)
@given(
    st.integers(1, 8).flatmap(
        lambda size: st.tuples(
            st.just(size), st.sets(st.sampled_from([*combinations(range(size), 2), (0, 0)]))
        )
    )
)
def test_a_perfect_matching_is_found_where_there_is_one(
    graph: tuple[int, set[tuple[int, int]]],
) -> None:
    size, edges = graph
    edges.discard((0, 0))
    neighbours = {
        vertex: [a + b - vertex for a, b in sorted(edges) if vertex in (a, b)]
        for vertex in range(size)
    }
    partners = perfect_matching(neighbours)
    names = [str(vertex) for vertex in range(size)]
    barred = Counter(
        frozenset((str(a), str(b))) for a, b in combinations(range(size), 2) if (a, b) not in edges
    )
    assert (partners is not None) == can_be_paired(names, barred, 0)
    if partners is not None:
        assert sorted(partners) == list(range(size))
        for one, other in partners.items():
            assert partners[other] == one
            assert other in neighbours[one]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 9)), max_size=6), st.integers(1, 3))
def test_any_text_is_an_id_or_none(sizes: list[tuple[int, int]], cycles: int) -> None:
    encounters = tuple(
        Encounter("a", f"b{number}", rounds, first) for number, (rounds, first) in enumerate(sizes)
    )
    batch = Batch(0, 5, encounters, cycles)
    planned = {plan.game_id: plan.index for plan in batch}
    for number in range(7):
        for pair in range(40):
            game_id = f"a~b{number}.{pair}a"
            assert batch.index_of(game_id) == planned.get(game_id)


@settings(deadline=None)
@given(specs(ADAPTIVE), st.randoms(use_true_random=False))
def test_walkovers_never_stop_a_tournament(spec: TournamentSpec, chance: Random) -> None:
    absent = spec.bots[0].name
    results: list[BatchResult] = []
    settled = SettledGames()
    while (batch := next_batch(spec, results)) is not None:
        for plan in batch:
            if absent in (plan.black, plan.white):
                settled.walk_over(plan.game_id, [absent])
            else:
                settled.store(plan.game_id, chance.choice([0, 1, 2]))
        result = batch_result(batch, settled)
        assert result is not None
        for one in result:
            if absent in one.encounter.bots:
                assert one.winner not in (None, absent)
        results.append(result)
        assert len(results) < 100
