from __future__ import annotations

from harness.ratings.components import pools, strong_components
from harness.ratings.counts import GameCounts, PairingCount
from tests.unit.ratings.oracle import rows_of, table_cases


def _names(counts: GameCounts, groups: list[object]) -> list[str]:
    return ["".join(counts.names[bot] for bot in group) for group in groups]  # type: ignore[attr-defined]


def test_pools_are_joined_by_chains_and_leave_out_idle_bots() -> None:
    rows = [
        PairingCount("a", "b", 1, 0, 0),
        PairingCount("c", "b", 1, 0, 0),
        PairingCount("d", "e", 9, 0, 0),
    ]
    counts = GameCounts.from_rows(rows, names=["z"])
    assert _names(counts, [*pools(counts)]) == ["abc", "de"]


def test_equal_pools_come_by_games() -> None:
    counts = GameCounts.from_rows(
        [PairingCount("a", "b", 1, 0, 0), PairingCount("c", "d", 2, 0, 0)]
    )
    assert _names(counts, [*pools(counts)]) == ["cd", "ab"]


def test_half_a_point_makes_an_arc() -> None:
    rows = [
        PairingCount("a", "b", 9, 1, 0),
        PairingCount("b", "c", 5, 0, 0),
        PairingCount("c", "d", 0, 1, 9),
        PairingCount("d", "e", 1, 0, 1),
    ]
    counts = GameCounts.from_rows(rows)
    assert _names(counts, [*strong_components(counts)]) == ["cde", "ab"]


def test_components_are_those_of_the_reference() -> None:
    for case in table_cases().values():
        counts = GameCounts.from_rows(rows_of(case), case["players"])
        labels = case["strong_labels"]
        expected = {
            frozenset(bot for bot, label in enumerate(labels) if label == one) for one in labels
        }
        found = {frozenset(group.tolist()) for group in strong_components(counts)}
        assert found == expected, case["id"]
        assert len(pools(counts)) == case["weak_components"]
