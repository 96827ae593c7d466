from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harness.errors import StoreError
from harness.play.types import BotUsage, Cause, GameRecord
from harness.rules.types import Color
from harness.store.sqlite import Store
from tests.unit.store.builders import MOVES, opening, record
from tests.unit.store.test_upgrade import OPENERS, Opener, content, mixed_records, version


def write_version_2(folder: Path, records: list[GameRecord]) -> Path:
    """Write a database as the second version of this program left it."""
    with Store.create_or_open(folder) as store:
        store.add(records)
    with closing(sqlite3.connect(store.file, isolation_level=None)) as connection:
        connection.execute("ALTER TABLE games DROP COLUMN result_hash")
        connection.execute("DROP TABLE logs")
        connection.execute("DROP TABLE schedule")
        connection.execute("PRAGMA user_version = 2")
    return store.file


def hash_by_hand(*words: object) -> int:
    """The hash that the tables promise, from words in the order of their keys."""
    keys = ("black", "cause", "id", "moves", "opening", "white", "winner")
    text = json.dumps(dict(zip(keys, words, strict=True)), sort_keys=True, separators=(",", ":"))
    return int(hashlib.sha256(text.encode("ascii")).hexdigest()[:12], 16)


def test_the_hash_of_a_result_is_of_what_decides_it(tmp_path: Path) -> None:
    start = opening(MOVES[:1])
    with Store.create_or_open(tmp_path) as store:
        store.add(
            [
                record("ann~bob.1a", start=start, moves=MOVES[1:], cause=Cause.CRASH),
                record("ann~bob.1b", black="bob", white="ann", winner=None, moves=()),
            ]
        )
        hashes = store._connection.execute("SELECT result_hash FROM games ORDER BY id").fetchall()
    ann, bob = ["ann", "1" * 64], ["bob", "2" * 64]
    first = hash_by_hand(
        ann, "crash", "ann~bob.1a", " ".join(MOVES), start.content_id, bob, "black"
    )
    empty = opening().content_id
    second = hash_by_hand(
        ["bob", "1" * 64], "resignation", "ann~bob.1b", "", empty, ["ann", "2" * 64], None
    )
    assert hashes == [(first,), (second,)]


@pytest.mark.parametrize("opened", OPENERS)
def test_a_database_of_version_2_becomes_what_a_new_one_would_be(
    tmp_path: Path, opened: Opener
) -> None:
    records = [*mixed_records(), record("n\ufffd", black="\u202eann", winner=Color.WHITE)]
    old = write_version_2(tmp_path / "old", records)
    with Store.create_or_open(tmp_path / "new") as new:
        new.add(records)
    with opened(old.parent) as store:
        assert store.count() == 8
    assert content(old) == content(new.file)
    assert version(old) == 3


def test_more_games_than_are_read_at_once(tmp_path: Path) -> None:
    records = [record(f"g{number}", moves=MOVES[: number % 5]) for number in range(2001)]
    old = write_version_2(tmp_path / "old", records)
    with Store.create_or_open(tmp_path / "new") as new:
        new.add(records)
    with Store.open_read_only(old.parent) as store:
        assert store.count() == 2001
    assert content(old)["games"] == content(new.file)["games"]


def test_a_tournament_goes_on_in_it(tmp_path: Path) -> None:
    write_version_2(tmp_path, [record("a")])
    with Store.create_or_open(tmp_path) as store:
        store.add([record("b", log="1 ann > go", usage=(BotUsage(1_000_000), BotUsage()))])
        details = [game.details for game in store.games(details=True)]
    assert [one.log for one in details if one is not None] == ["", "1 ann > go"]


@pytest.mark.parametrize("opened", OPENERS)
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE games SET cause = x'00' WHERE id = 'g2'",
        "UPDATE games SET moves = CAST(x'ff' AS TEXT) WHERE id = 'g2'",
        "DELETE FROM bots WHERE name = 'cyd'",
        "DELETE FROM openings",
    ],
)
def test_a_damaged_database_stays_as_it_was(tmp_path: Path, opened: Opener, damage: str) -> None:
    file = write_version_2(tmp_path, [record("g1"), record("g2", black="cyd")])
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute(damage)
    before = file.read_bytes()
    with pytest.raises(StoreError, match="put a copy back"):
        opened(tmp_path)
    assert file.read_bytes() == before
    assert version(file) == 2
