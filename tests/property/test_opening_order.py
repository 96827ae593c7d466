from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.tournament.opening_order import playing_order
from harness.tournament.spec import OpeningOrder

SIZES = st.integers(1, 200)
SEEDS = st.integers(0, 2**63 - 1)
ORDERS = st.sampled_from(OpeningOrder)


@given(SIZES, ORDERS, SEEDS, st.integers(1, 300))
def test_an_order_is_a_permutation(size: int, order: OpeningOrder, seed: int, first: int) -> None:
    places = playing_order(size, order, seed, first)
    assert sorted(places) == list(range(size))
    assert places == playing_order(size, order, seed, first)


@given(SIZES, ORDERS, SEEDS, st.data())
def test_first_turns_the_order_round(
    size: int, order: OpeningOrder, seed: int, data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, size))
    whole = playing_order(size, order, seed, 1)
    assert playing_order(size, order, seed, first) == whole[first - 1 :] + whole[: first - 1]


@given(SIZES, st.integers(0, 50), SEEDS)
def test_added_openings_leave_the_others_in_their_order(size: int, more: int, seed: int) -> None:
    longer = playing_order(size + more, OpeningOrder.RANDOM, seed, 1)
    assert [place for place in longer if place < size] == playing_order(
        size, OpeningOrder.RANDOM, seed, 1
    )


@given(SEEDS, SEEDS)
def test_another_seed_gives_another_order(one: int, other: int) -> None:
    orders = [playing_order(100, OpeningOrder.RANDOM, seed, 1) for seed in (one, other)]
    assert (orders[0] == orders[1]) == (one == other)
    assert orders[0] != list(range(100))
