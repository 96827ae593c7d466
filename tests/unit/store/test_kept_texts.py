"""What a game keeps besides its result: protocol lines, what bots used, how they were started."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.errors import StoreError
from harness.play.types import BotUsage
from harness.store.rows import StoredSeat
from harness.store.sqlite import Store
from tests.unit.store.builders import record

MS = 1_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path) as opened:
        yield opened


def test_protocol_lines_come_back(store: Store) -> None:
    log = "0.120 ann > position startpos\n1.500 ann < bestmove \x1b[2J\0é\n"
    store.add([record("a", log=log), record("b")])
    games = [store.game("a"), store.game("b"), *store.games(details=True)]
    assert [game.details.log for game in games if game.details] == [log, "", log, ""]


def test_only_games_with_protocol_lines_have_a_row_for_them(store: Store) -> None:
    store.add([record("a"), record("b", log="x"), record("c")])
    with closing(sqlite3.connect(store.file)) as other:
        assert other.execute("SELECT game, typeof(text) FROM logs").fetchall() == [(2, "blob")]


def test_a_long_transcript_takes_little_room(store: Store) -> None:
    log = "".join(f"{n}.000 ann < info depth {n} score cp 5\n" for n in range(50_000))
    store.add([record("a", log=log)])
    details = store.game("a").details
    assert details is not None
    assert details.log == log
    with closing(sqlite3.connect(store.file)) as other:
        assert other.execute("SELECT length(text) FROM logs").fetchone()[0] < len(log) / 5


def test_what_bots_used_is_among_the_provenance(store: Store) -> None:
    black = BotUsage(1_234 * MS + 499_999, 5 * MS, 200 * 1024 * 1024)
    white = BotUsage(0, 0, 3 * 1024)
    store.add([record("a", usage=(black, white)), record("b")])
    details = store.game("a").details
    assert details is not None
    assert details.provenance == {
        "slot": 0,
        "attempt": 1,
        "black-cpu-on-turn-ms": 1234,
        "black-cpu-off-turn-ms": 5,
        "black-peak-memory-kib": 204_800,
        "white-peak-memory-kib": 3,
    }
    assert details.black.usage == BotUsage(1_234 * MS, 5 * MS, 200 * 1024 * 1024)
    assert details.white.usage == white
    without = store.game("b").details
    assert without is not None
    assert without.provenance == {"slot": 0, "attempt": 1}
    assert without.black.usage == without.white.usage == BotUsage()


def test_the_definition_of_a_bot_is_that_of_its_identity(store: Store) -> None:
    ann = {"command": "./ann", "options": {"Depth": "2"}}
    store.begin("cup", "", {}, {"ann": "1", "bob": "2"}, {"ann": ann, "bob": {}})
    store.add([record("a", identities=("9", "2"))])
    assert store.bot_definition(StoredSeat("ann", "1", "")) == ann
    assert store.bot_definition(StoredSeat("bob", "2", "")) == {}
    assert store.bot_definition(StoredSeat("ann", "9", "")) is None  # never begun, only played
    assert store.bot_definition(StoredSeat("cyd", "1", "")) is None


def test_a_damaged_definition_is_said(store: Store) -> None:
    store.begin("cup", "", {}, {"ann": "1"}, {"ann": {}})
    with closing(sqlite3.connect(store.file, isolation_level=None)) as other:
        other.execute("UPDATE bots SET definition = '[1]'")
    with pytest.raises(StoreError, match="the definition of 'ann' makes no sense"):
        store.bot_definition(StoredSeat("ann", "1", ""))
