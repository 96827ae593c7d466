from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from harness.play.bot_definition import BotDefinition
from harness.play.clock import TimeControl
from harness.rules.position import STANDARD_START
from harness.tournament.pairing import Batch, next_batch
from harness.tournament.spec import OpeningSource, TournamentSpec

NAMES = st.from_regex(r"[A-Za-z0-9._+-]{1,6}", fullmatch=True)
FIELDS = st.lists(NAMES, min_size=2, max_size=9, unique=True)
ROUNDS = st.integers(1, 5)


def batch_of(names: list[str], rounds: int) -> Batch:
    spec = TournamentSpec(
        name="test",
        bots=tuple(BotDefinition(name, module="x") for name in names),
        openings=OpeningSource(STANDARD_START),
        time_control=TimeControl(depth=1),
        rounds=rounds,
    )
    batch = next_batch(spec, [])
    assert batch is not None
    return batch


@given(FIELDS, ROUNDS)
def test_each_encounter_has_both_seats_of_every_opening_once(names: list[str], rounds: int) -> None:
    batch = batch_of(names, rounds)
    seats = Counter((plan.black, plan.white, plan.opening_number) for plan in batch)
    expected = Counter(
        seat
        for one, other in combinations(names, 2)
        for number in range(rounds)
        for seat in ((one, other, number), (other, one, number))
    )
    assert seats == expected
    assert len(batch) == len(names) * (len(names) - 1) * rounds


@given(FIELDS, ROUNDS)
def test_ids_are_unique_and_read_back(names: list[str], rounds: int) -> None:
    batch = batch_of(names, rounds)
    plans = list(batch)
    assert len({plan.game_id for plan in plans}) == len(plans)
    for index, plan in enumerate(plans):
        assert plan.index == index
        assert batch.plan(index) == plan
        assert batch.index_of(plan.game_id) == index


@given(FIELDS, ROUNDS)
def test_pairs_are_neighbours_and_rounds_follow_each_other(names: list[str], rounds: int) -> None:
    plans = list(batch_of(names, rounds))
    for leg_a, leg_b in zip(plans[::2], plans[1::2], strict=True):
        assert (leg_a.encounter, leg_a.pair, leg_a.leg) == (leg_b.encounter, leg_b.pair, "a")
        assert leg_b.leg == "b"
        assert leg_a.black.encode() < leg_a.white.encode()
        assert (leg_b.black, leg_b.white) == (leg_a.white, leg_a.black)
    assert [plan.pair for plan in plans] == sorted(plan.pair for plan in plans)
    assert all(plan.opening_number == plan.pair - 1 for plan in plans)


@given(FIELDS, ROUNDS, st.integers(0, 4), NAMES)
def test_more_rounds_and_bots_keep_the_games(
    names: list[str], rounds: int, more: int, name: str
) -> None:
    wider = [*names, name] if name not in names else names
    larger = batch_of(wider[::-1], rounds + more)
    for plan in batch_of(names, rounds):
        index = larger.index_of(plan.game_id)
        assert index is not None
        same = larger.plan(index)
        assert (same.black, same.white, same.opening_number) == (
            plan.black,
            plan.white,
            plan.opening_number,
        )


@given(FIELDS, ROUNDS, st.text(max_size=20))
def test_any_text_is_an_id_or_none(names: list[str], rounds: int, text: str) -> None:
    batch = batch_of(names, rounds)
    index = batch.index_of(text)
    assert index is None or batch.plan(index).game_id == text
