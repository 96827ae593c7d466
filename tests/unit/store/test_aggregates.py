from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from harness.errors import StoreError
from harness.play.clock import TimeControl
from harness.play.types import Cause, Opening
from harness.rules.notation import parse_start
from harness.rules.types import Color
from harness.store import queries
from harness.store.rows import EndingRow, LengthRow, PlyTimes
from harness.store.selection import BotPattern, DateRange, Selection, Terms, where
from harness.store.sqlite import Store
from tests.unit.store.builders import MOVES, opening, record

WHITE_FIRST = parse_start("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w")
SLOW = TimeControl.parse("5+0.05")
MS = 1_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path) as opened:
        yield opened


def _raw(store: Store) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(store.file, isolation_level=None))


def several(store: Store) -> None:
    """Pairings on both sides, every result, two openings, a changed bot, repeated games."""
    other = opening(("b1-b3",))
    store.add(
        [
            record("1", black="ann", white="bob", pair=1),
            record("2", black="bob", white="ann", pair=1, winner=Color.WHITE),
            record("3", black="ann", white="bob", pair=2, winner=None, cause=Cause.REPETITION),
            record("4", black="ann", white="bob", pair=3, start=other, moves=("a2-c2", "c1xa3")),
            record("5", black="cyd", white="bob", pair=12, winner=Color.WHITE, moves=("b1-b3",)),
            record("6", black="ann", white="bob", pair=4, identities=("9", "2" * 64)),
            record("7", black="ann", white="cyd", winner=None, time_controls=("1+0", "5+0.05")),
        ]
    )


# Results


def test_result_columns_are_the_games(store: Store) -> None:
    several(store)
    columns = store.result_columns()
    rows = zip(
        columns.black, columns.white, columns.pair, columns.opening, columns.half_points,
        strict=True,
    )  # fmt: skip
    found = [
        (columns.bots[black], columns.bots[white], pair, columns.openings[start], points)
        for black, white, pair, start, points in rows
    ]
    half_points = {Color.BLACK: 2, None: 1, Color.WHITE: 0}
    games = list(store.games())
    expected = [
        (
            (game.black.name, game.black.identity),
            (game.white.name, game.white.identity),
            game.pair,
            game.opening,
            half_points[game.outcome.winner],
        )
        for game in games
    ]
    assert len(set(expected)) == 7
    assert Counter(found) == Counter(expected)
    moves = dict(zip(expected, (game.moves for game in games), strict=True))
    hashes = {(moves[row], one) for row, one in zip(found, columns.moves_hash, strict=True)}
    assert len({one for _, one in hashes}) == len(set(moves.values())) == len(hashes) == 3


def test_result_columns_are_grouped_by_pairing(store: Store) -> None:
    several(store)
    columns = store.result_columns()
    pairings = list(zip(columns.black, columns.white, strict=True))
    changes = sum(one != other for one, other in pairwise(pairings))
    assert changes == len(set(pairings)) - 1


def test_equal_moves_have_an_equal_hash_wherever_they_were_played(store: Store) -> None:
    store.add(
        [
            record("a", pair=1),
            record("b", pair=2, start=opening(MOVES[:2]), moves=MOVES[2:]),
            record("c", pair=3, moves=MOVES[:3], winner=None),
            record("d", pair=4, moves=("b1-b3", "a2-c2", "c1xa3", "h3-f3")),
            record("e", pair=5, black="bob", white="zoe"),
            record("f", pair=6, moves=("b1b3", "a2c2", "c1a3", "h2f2")),  # written otherwise
        ]
    )
    columns = store.result_columns()
    by_pair = dict(zip(columns.pair, columns.moves_hash, strict=True))
    assert by_pair[1] == by_pair[2] == by_pair[5] == by_pair[6]
    assert len({by_pair[1], by_pair[3], by_pair[4]}) == 3
    assert all(0 <= one < 2**48 for one in by_pair.values())


def test_a_hash_is_the_same_in_every_store(store: Store) -> None:
    store.add([record("a")])
    # SHA-256 of "b1-b3 a2-c2 c1xa3 h2-f2", its first 12 hex digits
    assert list(store.result_columns().moves_hash) == [0xDD3E56F4BE51]


def test_result_columns_of_a_selection(store: Store) -> None:
    several(store)
    without_odds = Selection(only=Terms((BotPattern("ann"), BotPattern("cyd"))))
    assert list(store.result_columns(without_odds).half_points) == [1]
    slow = Selection(only=Terms(time_controls=(SLOW,)))
    assert len(store.result_columns(slow).pair) == 6
    january = Selection(without=Terms(dates=(DateRange("2026-01-02", "2026-01-02"),)))
    assert len(store.result_columns(january).pair) == 0


def test_many_games_of_one_pairing_stay_beside_each_other(store: Store) -> None:
    winners = [Color.BLACK, None, Color.WHITE]
    store.add([record(f"g{n}", pair=n + 1, winner=winners[n % 3]) for n in range(500)])
    columns = store.result_columns()
    by_pair = dict(zip(columns.pair, columns.half_points, strict=True))
    assert by_pair == {n + 1: 2 - n % 3 for n in range(500)}


# Indices alone


BY_BOTS = Selection(Terms((BotPattern("a*"),)), Terms((BotPattern("bob#2"),)))
BY_CLOCK = Selection(Terms(time_controls=(SLOW,)))
BY_BOTH = Selection(BY_BOTS.only, BY_CLOCK.only)


@pytest.mark.parametrize("selection", [Selection(), BY_BOTS, BY_CLOCK, BY_BOTH])
@pytest.mark.parametrize(
    ("query", "index"),
    [
        (queries.RESULTS, "games_results"),
        (queries.ENDINGS, "games_endings"),
        (queries.LENGTHS, "games_endings"),
    ],
)
def test_ratings_read_an_index_alone(
    store: Store, selection: Selection, query: str, index: str
) -> None:
    several(store)
    with _raw(store) as other:
        condition = where(
            selection,
            other.execute("SELECT number, name, identity FROM bots").fetchall(),
            other.execute("SELECT number, black_time, white_time FROM settings").fetchall(),
        )
        text = "EXPLAIN QUERY PLAN " + query.format(where=condition.text)
        for statistics in ("SELECT 1", "ANALYZE"):  # as a store is, and as one might be
            other.execute(statistics)
            plan = [row[3] for row in other.execute(text, condition.parameters)]
            steps = [step for step in plan if " games" in step]
            assert len(steps) == 1, plan
            assert f"games USING COVERING INDEX {index}" in steps[0], plan
            sorted_steps = [step for step in plan if "TEMP B-TREE" in step]
            assert not sorted_steps or query is queries.LENGTHS, plan


# Endings


def test_endings_are_summed_by_bots_cause_and_winner(store: Store) -> None:
    store.add(
        [
            record("1", pair=1),
            record("2", pair=2, moves=MOVES[:3]),
            record("3", pair=3, cause=Cause.TIME),
            record("4", pair=4, winner=Color.WHITE),
            record("5", pair=5, winner=None, cause=Cause.REPETITION, moves=MOVES[:1]),
            record("6", black="bob", white="ann", identities=("2" * 64, "1" * 64)),
        ]
    )
    one, two = "1" * 64, "2" * 64
    ann_bob, bob_ann = ("ann", "bob", one, two), ("bob", "ann", two, one)
    # Ply n, from 1, took n ms: four plies are 1 + 3 for the first side and 2 + 4 for the second.
    assert sorted(store.ending_rows(), key=lambda row: (row.black, row.cause.value, row.plies)) == [
        EndingRow(*ann_bob, Cause.REPETITION, None, 1, 1, 1 * MS, 0, 1, 0),
        EndingRow(*ann_bob, Cause.RESIGNATION, Color.WHITE, 1, 4, 4 * MS, 6 * MS, 2, 2),
        EndingRow(*ann_bob, Cause.RESIGNATION, Color.BLACK, 2, 7, 8 * MS, 8 * MS, 4, 3),
        EndingRow(*ann_bob, Cause.TIME, Color.BLACK, 1, 4, 4 * MS, 6 * MS, 2, 2),
        EndingRow(*bob_ann, Cause.RESIGNATION, Color.BLACK, 1, 4, 4 * MS, 6 * MS, 2, 2),
    ]


@pytest.mark.parametrize(
    ("start", "moves", "black_ms", "white_ms", "black_moves", "white_moves"),
    [
        (opening(), MOVES[:3], 1 + 3, 2, 2, 1),
        (opening(MOVES[:1]), MOVES[1:], 2, 1 + 3, 1, 2),  # White is asked first
        (opening(MOVES[:2]), MOVES[2:], 1, 2, 1, 1),
        (opening((), WHITE_FIRST), ("a2-c2", "b1-b3", "c2xc1"), 2, 1 + 3, 1, 2),
        (opening(("a2-c2",), WHITE_FIRST), ("b1-b3", "c2xc1"), 1, 2, 1, 1),
        (opening(MOVES), (), 0, 0, 0, 0),  # decided by what nobody was asked for
    ],
)
def test_times_belong_to_the_side_that_was_asked(
    store: Store,
    start: Opening,
    moves: tuple[str, ...],
    black_ms: int,
    white_ms: int,
    black_moves: int,
    white_moves: int,
) -> None:
    store.add([record("a", start=start, moves=moves)])
    (row,) = store.ending_rows()
    assert (row.black_time_ns, row.white_time_ns) == (black_ms * MS, white_ms * MS)
    assert (row.black_moves, row.white_moves) == (black_moves, white_moves)
    assert row.plies == len(store.game("a").moves) >= black_moves + white_moves
    black, white = store.ply_times(1)[0]
    if black.name != "ann":
        black, white = white, black
    assert (black.name, white.name) == ("ann", "bob")
    assert (sum(black.elapsed_ns), sum(white.elapsed_ns)) == (black_ms * MS, white_ms * MS)
    assert (len(black.elapsed_ns), len(white.elapsed_ns)) == (black_moves, white_moves)


def test_endings_and_lengths_of_a_selection(store: Store) -> None:
    several(store)
    odds = Selection(only=Terms((BotPattern("ann"), BotPattern("cyd"))))
    (row,) = store.ending_rows(odds)
    assert (row.black, row.white, row.winner, row.games) == ("ann", "cyd", None, 1)
    assert store.length_rows(odds) == [LengthRow(4, is_drawn=True, games=1)]


def test_lengths_count_drawn_and_decided_games(store: Store) -> None:
    several(store)
    assert sorted(store.length_rows()) == [
        LengthRow(1, is_drawn=False, games=1),
        LengthRow(3, is_drawn=False, games=1),
        LengthRow(4, is_drawn=False, games=3),
        LengthRow(4, is_drawn=True, games=2),
    ]


# Times by ply


def test_ply_times_are_each_bots_own(store: Store) -> None:
    store.add(
        [
            record("1", black="ann", white="bob", moves=MOVES[:3]),
            record("2", black="bob", white="ann", start=opening(MOVES[:1]), moves=MOVES[1:]),
        ]
    )
    times, games = store.ply_times(10)
    assert games == 2
    one, two = "1" * 64, "2" * 64
    assert sorted(times) == [
        PlyTimes("ann", one, (1 * MS, 3 * MS)),
        PlyTimes("ann", two, (1 * MS, 3 * MS)),
        PlyTimes("bob", one, (2 * MS,)),
        PlyTimes("bob", two, (2 * MS,)),
    ]


def rounds(store: Store, games: int, bots: int = 6) -> None:
    """Games in rounds, each bot once in its own game; the identity says which game it is."""
    store.add(
        [
            record(
                f"g{number}",
                black=f"bot{number % bots}",
                white="other",
                identities=(f"{number:05d}", ""),
                moves=MOVES[:1],
            )
            for number in range(games)
        ]
    )


@pytest.mark.parametrize(
    ("games", "most", "read"),
    [(0, 5, 0), (1, 5, 1), (5, 5, 5), (6, 5, 5), (60, 10, 10), (61, 60, 60), (7, 1, 1), (7, 0, 0)],
)
def test_as_many_games_are_sampled_as_may_be(
    store: Store, games: int, most: int, read: int
) -> None:
    rounds(store, games)
    times, selected = store.ply_times(most)
    assert selected == games
    assert len(times) == 2 * read
    assert len({one.identity for one in times if one.name != "other"}) == read


def test_a_sample_is_even_over_all_games_and_all_bots(store: Store) -> None:
    rounds(store, 600)
    times, _ = store.ply_times(100)
    numbers = [int(one.identity) for one in times if one.name != "other"]
    assert [number // 6 for number in numbers] == list(range(100))  # one of every six
    assert {number % 6 for number in numbers} == set(range(6))  # and not the same of each
    assert store.ply_times(100)[0] == times  # the same again


def test_a_sample_is_of_the_selected_games(store: Store) -> None:
    rounds(store, 60)
    chosen = Selection(only=Terms((BotPattern("bot3"), BotPattern("other"))))
    times, selected = store.ply_times(4, chosen)
    assert (len(times), selected) == (8, 10)
    assert {one.name for one in times} == {"bot3", "other"}


BLOBS = {
    "no zlib": b"\0",
    "nothing": b"",
    "no JSON": zlib.compress(b"{"),
    "no text": zlib.compress(b'{"elapsed_ns": [1], "info": ["\xff"]}'),
    "no object": zlib.compress(b"[1, 2]"),
    "no times": zlib.compress(b'{"info": [null]}'),
    "no numbers": zlib.compress(b'{"elapsed_ns": ["1"], "info": [null]}'),
    "no lists": zlib.compress(b'{"elapsed_ns": 1, "info": null}'),
    "not as many": zlib.compress(b'{"elapsed_ns": [1, 2], "info": [null]}'),
    "too deep": zlib.compress(b"[" * 100_000),
}


@pytest.mark.parametrize("blob", BLOBS.values(), ids=BLOBS)
def test_damaged_plies_are_a_store_error(store: Store, blob: bytes) -> None:
    store.add([record("a")])
    with _raw(store) as other:
        other.execute("UPDATE details SET plies = ?", [blob])
    with pytest.raises(StoreError, match=r"games\.sqlite: a stored game makes no sense: .+copy"):
        store.ply_times(5)
    with pytest.raises(StoreError, match=r"game 'a' makes no sense: .+copy"):
        store.game("a")
    assert len(store.result_columns().black) == len(store.ending_rows()) == 1  # need no plies
