from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.play.clock import TimeControl
from harness.store.rows import StoredGame
from harness.store.selection import (
    EVERYTHING,
    BotPattern,
    DateRange,
    Selection,
    Terms,
    where,
)
from harness.store.sqlite import Store
from tests.unit.store.builders import record

FAST, SLOW, NODES = (TimeControl.parse(text) for text in ("1+0.1", "5+0.05", "nodes=200"))


def bots(*patterns: str) -> Terms:
    return Terms(bots=tuple(map(BotPattern, patterns)))


def clocks(*time_controls: TimeControl) -> Terms:
    return Terms(time_controls=time_controls)


def days(*ranges: tuple[str | None, str | None]) -> Terms:
    return Terms(dates=tuple(DateRange(*ends) for ends in ranges))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path) as opened:
        yield opened


def selected(store: Store, selection: Selection) -> list[str]:
    """The ids of the selected games, in the order of storing."""
    connection = store._connection
    condition = where(
        selection,
        connection.execute("SELECT number, name, identity FROM bots").fetchall(),
        connection.execute("SELECT number, black_time, white_time FROM settings").fetchall(),
    )
    text = f"SELECT id FROM games {condition.text} ORDER BY number"
    return [game_id for (game_id,) in connection.execute(text, condition.parameters)]


def seats(store: Store) -> None:
    """Four games; the id says who is Black, who is White, and which ann it is."""
    store.add(
        [
            record("ann1-bob", black="ann", white="bob", identities=("a1", "b1")),
            record("bob-ann2", black="bob", white="ann", identities=("b1", "a2")),
            record("ann1-anton", black="ann", white="anton", identities=("a1", "c1")),
            record("anton-bob", black="anton", white="bob", identities=("c1", "b1")),
        ]
    )


# Bots


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (("ann", "bob"), ["ann1-bob", "bob-ann2"]),
        (("ann*",), []),  # "anton" does not begin with "ann"
        (("an*",), ["ann1-anton"]),
        (("*n", "bob"), ["ann1-bob", "bob-ann2", "ann1-anton", "anton-bob"]),
        (("?o?", "a??"), ["ann1-bob", "bob-ann2"]),
        (("*",), ["ann1-bob", "bob-ann2", "ann1-anton", "anton-bob"]),
        (("ann",), []),  # no game of ann against ann
        (("ANN", "BOB"), []),
        (("ann#a1", "bob"), ["ann1-bob"]),
        (("ann#a2", "bob"), ["bob-ann2"]),
        (("ann#a", "bob"), ["ann1-bob", "bob-ann2"]),
        (("ann#", "bob"), ["ann1-bob", "bob-ann2"]),
        (("ann#1", "bob"), []),  # the first digits, not any
        (("*#c1", "b*#b1"), ["anton-bob"]),
        (("zoe",), []),
        (("an", "nn", "bo"), []),
    ],
)
def test_only_these_bots_means_both_sides(
    store: Store, patterns: tuple[str, ...], expected: list[str]
) -> None:
    seats(store)
    assert selected(store, Selection(only=bots(*patterns))) == expected


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (("ann",), ["anton-bob"]),
        (("anton",), ["ann1-bob", "bob-ann2"]),
        (("ann#a2",), ["ann1-bob", "ann1-anton", "anton-bob"]),
        (("ann#a1", "anton"), ["bob-ann2"]),
        (("*",), []),
        (("zoe",), ["ann1-bob", "bob-ann2", "ann1-anton", "anton-bob"]),
    ],
)
def test_without_these_bots_means_either_side(
    store: Store, patterns: tuple[str, ...], expected: list[str]
) -> None:
    seats(store)
    assert selected(store, Selection(without=bots(*patterns))) == expected


def test_a_bot_that_is_named_and_excluded_does_not_count(store: Store) -> None:
    seats(store)
    assert selected(store, Selection(bots("a*", "bob"), bots("ann#a2", "anton"))) == ["ann1-bob"]
    assert selected(store, Selection(bots("ann"), bots("ann"))) == []


# Time controls


def test_time_controls_are_those_of_both_sides(store: Store) -> None:
    store.add(
        [
            record("fast", time_controls=("1+0.1", "1+0.1")),
            record("slow", time_controls=("5+0.05", "5+0.05")),
            record("odds", time_controls=("5+0.05", "1+0.1")),
            record("other odds", time_controls=("1+0.1", "5+0.05")),
            record("nodes", time_controls=("nodes=200", "nodes=200")),
        ]
    )
    for only, without, expected in [
        ((FAST,), (), ["fast"]),
        ((SLOW,), (), ["slow"]),
        ((FAST, SLOW), (), ["fast", "slow", "odds", "other odds"]),
        ((), (FAST,), ["slow", "nodes"]),
        ((), (FAST, SLOW), ["nodes"]),
        ((FAST, NODES), (FAST,), ["nodes"]),
        ((FAST,), (FAST,), []),
        ((TimeControl.parse("9+9"),), (), []),
    ]:
        assert selected(store, Selection(clocks(*only), clocks(*without))) == expected


def test_a_time_control_is_meant_however_it_is_written(store: Store) -> None:
    store.add([record("slow", time_controls=("5+0.05", "5+0.05"))])
    assert selected(store, Selection(clocks(TimeControl.parse(" 5.0 + .050")))) == ["slow"]


# Days


def moments(store: Store) -> None:
    store.add(
        [
            record(name, started_at=f"{moment}+00:00")
            for name, moment in {
                "30a": "2026-01-30T00:00:00",
                "30z": "2026-01-30T23:59:59",
                "31a": "2026-01-31T00:00:00",
                "31z": "2026-01-31T23:59:59.999999",
                "01a": "2026-02-01T00:00:00",
            }.items()
        ]
    )


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([("2026-01-31", "2026-01-31")], ["31a", "31z"]),
        ([("2026-01-30", "2026-01-31")], ["30a", "30z", "31a", "31z"]),
        ([("2026-01-31", None)], ["31a", "31z", "01a"]),
        ([(None, "2026-01-30")], ["30a", "30z"]),
        ([(None, None)], ["30a", "30z", "31a", "31z", "01a"]),
        ([(None, "2026-01-30"), ("2026-02-01", None)], ["30a", "30z", "01a"]),
        ([("2026-01-30", "2026-01-31"), ("2026-01-31", None)], ["30a", "30z", "31a", "31z", "01a"]),
        ([("2026-02-01", "2026-01-30")], []),
        ([("2027-01-01", None)], []),
    ],
)
def test_days_are_whole_and_both_ends_count(
    store: Store, ranges: list[tuple[str | None, str | None]], expected: list[str]
) -> None:
    moments(store)
    everything = selected(store, EVERYTHING)
    assert everything == ["30a", "30z", "31a", "31z", "01a"]
    assert selected(store, Selection(only=days(*ranges))) == expected
    others = [name for name in everything if name not in expected]
    assert selected(store, Selection(without=days(*ranges))) == others


def test_days_that_are_named_may_have_holes(store: Store) -> None:
    moments(store)
    selection = Selection(days(("2026-01-30", None)), days(("2026-01-31", "2026-01-31")))
    assert selected(store, selection) == ["30a", "30z", "01a"]


# Everything, nothing, and all of it together


def test_everything_needs_no_condition(store: Store) -> None:
    assert where(EVERYTHING, [], []) == ("", ())
    assert EVERYTHING.is_everything
    assert Selection().is_everything
    for terms in (bots("a"), clocks(FAST), days((None, None))):
        assert not Selection(only=terms).is_everything
        assert not Selection(without=terms).is_everything


def test_an_empty_store_has_no_selected_games(store: Store) -> None:
    for terms in (bots("*"), clocks(FAST), days((None, None))):
        assert selected(store, Selection(only=terms)) == []
        assert selected(store, Selection(without=terms)) == []
    columns = store.result_columns(Selection(only=bots("*")))
    assert len(columns.black) == len(columns.moves_hash) == 0


def test_a_selection_of_nothing_gives_nothing_and_no_error(store: Store) -> None:
    seats(store)
    nothing = Selection(only=bots("zoe"))
    assert len(store.result_columns(nothing).half_points) == 0
    assert store.ending_rows(nothing) == []
    assert store.length_rows(nothing) == []
    assert store.ply_times(10, nothing) == ([], 0)


NAMES = ("ann", "anton", "bob", "b2")
IDENTITIES = ("a1", "a2", "b1")
CLOCKS = (FAST, SLOW, NODES)
FIRST_DAY = datetime.date(2025, 12, 30)
DAYS = tuple((FIRST_DAY + datetime.timedelta(number)).isoformat() for number in range(4))
TIMES = ("T00:00:00+00:00", "T12:00:00+00:00", "T23:59:59+00:00")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Every two bots, in all kinds of time controls and moments."""
    with Store.create_or_open(tmp_path_factory.mktemp("mixed")) as store:
        store.add(
            [
                record(
                    f"g{number}",
                    black=NAMES[number % 4],
                    white=NAMES[(number // 4) % 4],
                    identities=(IDENTITIES[number % 3], IDENTITIES[number // 5 % 3]),
                    time_controls=(CLOCKS[number // 2 % 3].text, CLOCKS[number // 7 % 3].text),
                    started_at=DAYS[number // 3 % 4] + TIMES[number // 11 % 3],
                )
                for number in range(300)
            ]
        )
        yield store


def _is_meant(pattern: str, name: str, identity: str) -> bool:
    wanted, sign, digits = pattern.partition("#")
    expression = "".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in wanted)
    return bool(re.fullmatch(expression, name)) and (not sign or identity[: len(digits)] == digits)


def _counts(selection: Selection, game: StoredGame) -> bool:
    """The rule in the words of ``Selection``, for one game."""
    only, without = selection.only, selection.without
    day = datetime.date.fromisoformat(game.started_at[:10])
    for seat in (game.black, game.white):
        meant = [
            {_is_meant(one.text, seat.name, seat.identity) for one in terms.bots}
            for terms in (only, without)
        ]
        if (only.bots and True not in meant[0]) or True in meant[1]:
            return False
        clock = TimeControl.parse(seat.time_control)
        if only.time_controls and clock not in only.time_controls:
            return False
        if clock in without.time_controls:
            return False
    return (not only.dates or _is_on(only, day)) and not _is_on(without, day)


def _is_on(terms: Terms, day: datetime.date) -> bool:
    ends = [
        [None if end is None else datetime.date.fromisoformat(end) for end in one]
        for one in terms.dates
    ]
    return any(
        (first is None or first <= day) and (last is None or day <= last) for first, last in ends
    )


PATTERNS = st.sampled_from(
    ["*", "ann", "an*", "?nn", "*n*", "b?", "b*", "bob#b", "*#a", "*#a2", "ann#a1", "zoe", "*b*#b1"]
)
ENDS = st.none() | st.sampled_from([*DAYS, "2025-12-01", "2026-12-01"])


@st.composite
def terms(draw: st.DrawFn) -> Terms:
    return Terms(
        tuple(map(BotPattern, draw(st.lists(PATTERNS, max_size=3)))),
        tuple(draw(st.lists(st.sampled_from(CLOCKS), max_size=2))),
        tuple(DateRange(*ends) for ends in draw(st.lists(st.tuples(ENDS, ENDS), max_size=2))),
    )


@settings(max_examples=150, deadline=None)
@given(only=terms(), without=terms())
@example(only=bots("*"), without=Terms())
@example(only=Terms(), without=days((None, None)))
def test_the_condition_counts_the_games_that_the_words_count(
    mixed: Store, only: Terms, without: Terms
) -> None:
    selection = Selection(only, without)
    games = list(mixed.games())
    expected = [game.game_id for game in games if _counts(selection, game)]
    assert sorted(selected(mixed, selection)) == sorted(expected)
