from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from harness.ratings.results import label_bots, merge_results
from tests.unit.ratings.oracle import games

A, B, C = "a" * 64, "b" * 64, "c" * 64


@dataclass
class Source:
    bots: dict[int, tuple[str, str]]
    openings: dict[int, str]
    black: list[int]
    white: list[int]
    opening: list[int]
    half_points: list[int]
    pair: list[int] = field(default_factory=list)
    moves_hash: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pair = self.pair or list(range(len(self.black)))
        self.moves_hash = self.moves_hash or list(range(len(self.black)))


def test_a_name_with_one_identity_keeps_it() -> None:
    labels, split = label_bots([("x", A), ("y", B), ("x", A)])
    assert labels == {("x", A): "x", ("y", B): "y"}
    assert split == ()


def test_a_name_with_two_identities_is_kept_apart() -> None:
    labels, split = label_bots([("x", A), ("x", C), ("y", B)])
    assert labels == {("x", A): "x#aaaaaaaa", ("x", C): "x#cccccccc", ("y", B): "y"}
    assert split == ("x",)


def test_identities_that_begin_alike_get_longer_labels() -> None:
    one, other = "1234567890" + "0" * 54, "1234567891" + "0" * 54
    labels, _ = label_bots([("x", one), ("x", other)])
    assert set(labels.values()) == {"x#1234567890", "x#1234567891"}


def test_an_empty_identity_still_has_a_label() -> None:
    labels, _ = label_bots([("x", ""), ("x", A)])
    assert set(labels.values()) == {"x#aaaaaaaa", "x#unknown"}


def test_tournaments_are_put_together_by_content_not_by_number() -> None:
    one = Source({1: ("x", A), 2: ("y", B)}, {5: "oo", 9: "pp"}, [1, 2], [2, 1], [5, 9], [2, 1])
    other = Source({1: ("y", B), 7: ("x", A)}, {1: "pp"}, [7], [1], [1], [0], pair=[0])
    labels, _ = label_bots([*one.bots.values(), *other.bots.values()])
    merged = merge_results([one, other], labels, idle=["z"])
    assert merged.names == ("x", "y", "z")
    assert merged.openings == ("oo", "pp")
    assert merged.first.tolist() == [0, 1, 0]
    assert merged.second.tolist() == [1, 0, 1]
    assert merged.opening.tolist() == [0, 1, 1]
    assert merged.half_points.tolist() == [2, 1, 0]
    assert len(set(merged.pair.tolist())) == 3  # pair 0 of two tournaments is not one pair
    counts = merged.counts()
    assert (counts.first.tolist(), counts.second.tolist()) == ([0, 1], [1, 0])
    assert counts.wins.tolist() == [1, 0]
    assert counts.draws.tolist() == [0, 1]
    assert counts.losses.tolist() == [1, 0]


def test_bots_and_openings_without_selected_games_are_not_there() -> None:
    source = Source({1: ("x", A), 2: ("y", B), 3: ("q", C)}, {5: "oo", 6: "no"}, [1], [2], [5], [2])
    merged = merge_results([source], label_bots([("x", A), ("y", B)]).labels)
    assert merged.names == ("x", "y")
    assert merged.openings == ("oo",)


def test_nothing_is_an_empty_result() -> None:
    for sources in ([], [Source({}, {}, [], [], [], [])]):
        merged = merge_results(sources, {}, idle=["b", "a"])
        assert merged.names == ("a", "b")
        assert merged.total == 0
        assert merged.counts().total == 0
        assert len(merged.opening_rows().first) == 0


def test_rows_are_added_up_by_pairing_side_and_opening() -> None:
    rows = games("ab1p", "ba0p", "ab=p", "ab1q", "ab1p").opening_rows()
    found = list(zip(*(column.tolist() for column in rows), strict=True))
    assert found == [(0, 1, 0, 2, 1, 0), (0, 1, 1, 1, 0, 0), (1, 0, 0, 0, 0, 1)]


def test_among_keeps_the_games_of_these_bots_and_numbers_them_anew() -> None:
    results = games("ab1p", "bc0p", "ca=p", names="abc").among(np.array([1, 2]))
    assert results.names == ("b", "c")
    assert (results.first.tolist(), results.second.tolist()) == ([0], [1])
    assert results.half_points.tolist() == [0]
