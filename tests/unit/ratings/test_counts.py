from __future__ import annotations

import numpy as np
import pytest

from harness.ratings.counts import GameCounts, PairingCount


def test_arrays_hold_sorted_names_and_no_empty_rows() -> None:
    counts = GameCounts.from_rows(
        [
            PairingCount("b", "a", 1, 2, 3),
            PairingCount("a", "c", 0, 0, 0),
            PairingCount("b", "a", 1, 0, 0),
        ],
        names=["idle"],
    )
    assert counts.names == ("a", "b", "c", "idle")
    assert counts.first.tolist() == [1]
    assert counts.second.tolist() == [0]
    assert (counts.wins[0], counts.draws[0], counts.losses[0]) == (2, 2, 3)
    assert counts.total == 7


def test_by_bot_and_matrix_follow_the_sides() -> None:
    counts = GameCounts.from_rows(
        [PairingCount("a", "b", 5, 0, 2), PairingCount("b", "a", 1, 0, 0)]
    )
    assert counts.by_bot(counts.wins, counts.losses).tolist() == [5, 3]
    assert counts.matrix(counts.wins).tolist() == [[0, 5], [1, 0]]


def test_only_keeps_games_among_the_bots() -> None:
    rows = [PairingCount("a", "b", 1, 0, 0), PairingCount("b", "c", 2, 0, 0)]
    counts = GameCounts.from_rows(rows).only(np.array([1, 2]))
    assert counts.names == ("b", "c")
    assert counts.wins.tolist() == [2]
    assert (counts.first.tolist(), counts.second.tolist()) == ([0], [1])


@pytest.mark.parametrize("row", [PairingCount("a", "a", 1, 0, 0), PairingCount("a", "b", -1, 0, 0)])
def test_impossible_rows_are_refused(row: PairingCount) -> None:
    with pytest.raises(ValueError, match="no pairing count"):
        GameCounts.from_rows([row])
