from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.ratings.counts import PairingCount
from harness.ratings.crosstable import CrossTable, Score, cross_table

ROWS = [
    PairingCount("a", "b", 5, 1, 2),
    PairingCount("b", "a", 3, 4, 6),
    PairingCount("c", "a", 1, 0, 0),
    PairingCount("c", "a", 0, 1, 0),
]


def test_scores_are_seen_from_the_bot_on_both_sides() -> None:
    cross = cross_table(ROWS, order=["b", "a"])
    assert cross.names == ("b", "a", "c")
    assert cross.score("a", "b") == Score(11, 5, 5)
    assert cross.score("b", "a") == Score(5, 5, 11)
    assert cross.score_as_first("a", "b") == Score(5, 1, 2)
    assert cross.score_as_second("a", "b") == Score(6, 4, 3)
    assert cross.score("a", "c") == Score(0, 1, 1)
    assert cross.score("b", "c") == Score(0, 0, 0)
    assert cross.total("a") == Score(11, 6, 6)
    assert cross.total("a").points == 14.0


def test_the_frame_has_a_row_for_every_bot_and_opponent_that_met() -> None:
    frame = cross_table(ROWS).frame()
    assert list(zip(frame["bot"], frame["opponent"], strict=True)) == [
        ("a", "b"),
        ("a", "c"),
        ("b", "a"),
        ("c", "a"),
    ]
    first = frame.iloc[0]
    assert (first["games"], first["points"], first["wins"]) == (21, 13.5, 11)
    assert (first["wins_first"], first["draws_first"], first["losses_first"]) == (5, 1, 2)


def test_an_empty_cross_table_has_an_empty_frame() -> None:
    frame = cross_table([]).frame()
    assert len(frame) == 0
    assert "losses_first" in frame.columns


@given(
    st.dictionaries(st.tuples(*[st.sampled_from("abcd")] * 2), st.tuples(*[st.integers(0, 9)] * 3))
)
def test_totals_and_both_sides_are_sums(found: dict[tuple[str, str], tuple[int, int, int]]) -> None:
    games = {bots: Score(*counts) for bots, counts in found.items() if bots[0] != bots[1]}
    cross = CrossTable(tuple("abcd"), games)
    for bot in cross.names:
        total = Score()
        for other in cross.names:
            first = games.get((bot, other), Score())
            second = games.get((other, bot), Score()).reversed()
            assert cross.score(bot, other) == first.plus(second)
            total = total.plus(first).plus(second)
        assert cross.total(bot) == total
