"""The places of stored games, and of which schedule they are said to be."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.errors import StoreError
from harness.store.sqlite import Store
from tests.unit.store.builders import record

PLACES = {"a": 0, "b": 1, "c": 3}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path / "cup") as opened:
        opened.add([record(name, index=index) for name, index in PLACES.items()])
        opened.add([record("surplus")])
        yield opened


def stored(store: Store) -> dict[str, int | None]:
    return {game.game_id: game.schedule_index for game in store.games()}


def damage(store: Store, statement: str) -> None:
    with closing(sqlite3.connect(store.file, isolation_level=None)) as connection:
        connection.execute(statement)


def test_places_are_read_for_their_own_schedule_alone(store: Store) -> None:
    assert store.extent() == ""
    assert store.places("one") is None
    assert store.reschedule(PLACES.get, "one") == 1
    assert store.extent() == "one"
    places = store.places("one")
    assert places is not None
    assert list(places.missing(range(6))) == [2, 4, 5]
    assert store.places("other") is None
    with Store.open_read_only(store.folder) as reader:
        assert reader.extent() == "one"
        places = reader.places("one")
        assert places is not None
        assert len(places) == 3


def test_places_of_no_known_schedule_are_nobodys(store: Store) -> None:
    store.reschedule(PLACES.get, "one")
    assert store.reschedule({"surplus": 0}.get) == 3
    assert store.extent() == ""
    assert store.places("one") is None
    assert stored(store) == {"surplus": 0, "a": None, "b": None, "c": None}


def test_what_is_unchanged_is_not_looked_up(store: Store) -> None:
    store.reschedule(PLACES.get, "one")
    asked = []

    def index_of(game_id: str) -> int | None:
        asked.append(game_id)
        return {"c": None, "surplus": 2}[game_id]

    assert store.reschedule(index_of, "two", unchanged=2) == 1
    assert sorted(asked) == ["c", "surplus"]
    assert stored(store) == {"a": 0, "b": 1, "surplus": 2, "c": None}
    assert store.extent() == "two"


def test_nothing_is_written_when_nothing_is_new(store: Store) -> None:
    store.reschedule(PLACES.get, "one")
    before = store._connection.total_changes
    assert store.reschedule(PLACES.get, "one") == 1
    assert store.reschedule(PLACES.get, "one", unchanged=4) == 1
    assert store._connection.total_changes == before


@pytest.mark.parametrize("value", ["'first'", "x'01'", "1.5", "-1", "3"])
def test_a_damaged_place_is_said(store: Store, value: str) -> None:
    store.reschedule(PLACES.get, "one")
    damage(store, f"UPDATE games SET schedule_index = {value} WHERE id = 'b'")
    with pytest.raises(StoreError, match="the place of a game in the schedule makes no sense"):
        store.places("one")
    assert store.stored_ids() == {*PLACES, "surplus"}  # no transaction is left open


@pytest.mark.parametrize("value", ["x'01'", "CAST(x'ff' AS TEXT)"])
def test_a_damaged_extent_is_said(store: Store, value: str) -> None:
    store.reschedule(PLACES.get, "one")
    damage(store, f"UPDATE schedule SET extent = {value}")
    for read in (store.extent, lambda: store.places("one")):
        with pytest.raises(StoreError, match="put a copy back"):
            read()


def test_an_id_that_is_no_text_is_said_and_nothing_is_written(store: Store) -> None:
    store.reschedule(PLACES.get, "one")
    damage(store, "UPDATE games SET id = x'61' WHERE id = 'a'")
    with pytest.raises(StoreError, match="the id of a game makes no sense"):
        store.reschedule(lambda _: None, "two")
    assert store.extent() == "one"
    places = store.places("one")
    assert places is not None
    assert len(places) == 3
