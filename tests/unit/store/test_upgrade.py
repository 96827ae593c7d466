from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from harness.errors import StoreError
from harness.play.types import Cause, GameRecord
from harness.rules.notation import parse_start
from harness.rules.types import Color
from harness.store import connection as opening_files
from harness.store import upgrade as upgrading
from harness.store.interning import Interning
from harness.store.queries import INSERTED_OF_DETAILS, INSERTED_OF_GAME
from harness.store.records import prepare
from harness.store.rows import Incident, IncidentKind
from harness.store.sqlite import Store
from tests.unit.store.builders import MOVES, opening, record

PROJECT = Path(__file__).parents[3]
NOBODY = 65534

VERSION_1 = """
CREATE TABLE tournament (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    name        TEXT NOT NULL,
    spec        TEXT NOT NULL,
    conditions  TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    runs        INTEGER NOT NULL
);
CREATE TABLE bots (
    number        INTEGER PRIMARY KEY,
    name          TEXT NOT NULL,
    identity      TEXT NOT NULL,
    definition    TEXT NOT NULL DEFAULT '{}',
    first_used_at TEXT NOT NULL,
    last_run      INTEGER NOT NULL DEFAULT 0,
    UNIQUE (name, identity)
);
CREATE TABLE openings (
    number     INTEGER PRIMARY KEY,
    content_id TEXT NOT NULL UNIQUE,
    start      TEXT NOT NULL,
    moves      TEXT NOT NULL
);
CREATE TABLE settings (
    number       INTEGER PRIMARY KEY,
    rules        TEXT NOT NULL,
    black_time   TEXT NOT NULL,
    white_time   TEXT NOT NULL,
    margin_ns    INTEGER NOT NULL,
    max_think_ns INTEGER NOT NULL,
    seed         INTEGER NOT NULL,
    UNIQUE (rules, black_time, white_time, margin_ns, max_think_ns, seed)
);
CREATE TABLE games (
    number         INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    schedule_index INTEGER,
    batch          INTEGER NOT NULL,
    encounter      TEXT NOT NULL,
    pair           INTEGER NOT NULL,
    leg            TEXT NOT NULL,
    black          INTEGER NOT NULL REFERENCES bots (number),
    white          INTEGER NOT NULL REFERENCES bots (number),
    opening        INTEGER NOT NULL REFERENCES openings (number),
    settings       INTEGER NOT NULL REFERENCES settings (number),
    cause          TEXT NOT NULL,
    winner         TEXT CHECK (winner IN ('black', 'white')),
    plies          INTEGER NOT NULL,
    moves          TEXT NOT NULL,
    started_at     TEXT NOT NULL,
    duration_ns    INTEGER NOT NULL,
    outcome_detail TEXT NOT NULL
);
CREATE TABLE details (
    game             INTEGER PRIMARY KEY REFERENCES games (number),
    plies            BLOB NOT NULL,
    final_reply      TEXT NOT NULL,
    black_announced  TEXT NOT NULL,
    white_announced  TEXT NOT NULL,
    black_stderr     TEXT NOT NULL,
    white_stderr     TEXT NOT NULL,
    black_process_id INTEGER,
    white_process_id INTEGER,
    provenance       TEXT NOT NULL
);
CREATE TABLE incidents (
    number  INTEGER PRIMARY KEY,
    game    TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    bot     TEXT NOT NULL,
    why     TEXT NOT NULL,
    at      TEXT NOT NULL
);
CREATE INDEX games_results ON games (black, white, winner, opening);
CREATE INDEX games_schedule ON games (schedule_index, id);
PRAGMA application_id = 0x4C4F4147;
PRAGMA user_version = 1;
"""
"""As the first version of this program wrote them, without its comments."""

GAME_COLUMNS_1 = (
    *("id", "schedule_index", "batch", "encounter", "pair", "leg"),
    *("black", "white", "opening", "settings", "cause", "winner", "plies", "moves"),
    *("started_at", "duration_ns", "outcome_detail"),
)

Opener = Callable[[Path], Store]
OPENERS: list[Opener] = [Store.open_read_only, Store.create_or_open]


def insert(connection: sqlite3.Connection, table: str, values: dict[str, Any]) -> int:
    names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
    cursor = connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def write_version_1(folder: Path, records: Sequence[GameRecord]) -> Path:
    """Write a database as the first version of this program left it."""
    folder.mkdir(exist_ok=True)
    file = folder / "games.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(VERSION_1)
        numbers = Interning(connection)
        connection.execute("BEGIN")
        for game in map(prepare, records):
            shared = {
                "black": numbers.bot(game.black, "2026-01-01T00:00:00+00:00"),
                "white": numbers.bot(game.white, "2026-01-01T00:00:00+00:00"),
                "opening": numbers.opening(game.opening),
                "settings": numbers.settings(game.settings),
            }
            own = dict(zip(INSERTED_OF_GAME[len(shared) :], game.game, strict=True))
            values = {name: value for name, value in own.items() if name in GAME_COLUMNS_1}
            number = insert(connection, "games", values | shared)
            details = zip(INSERTED_OF_DETAILS, (number, *game.details), strict=True)
            insert(connection, "details", dict(details))
        connection.execute("COMMIT")
    return file


def mixed_records() -> list[GameRecord]:
    """Games that Black and White were asked first in, of no asked ply, of every result."""
    white_first = parse_start("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w")
    return [
        record("a", index=0),
        record("b", index=1, start=opening(MOVES[:1]), moves=MOVES[1:], winner=Color.WHITE),
        record("c", index=2, start=opening(MOVES[:2]), moves=MOVES[2:], black="cyd"),
        record("d", index=3, start=opening((), white_first), moves=("a2-c2", "b1-b3", "c2xc1")),
        record("e", index=4, start=opening(("a2-c2",), white_first), moves=("b1-b3", "c2xc1")),
        record("f", index=5, start=opening(MOVES), moves=(), winner=None, cause=Cause.AGREEMENT),
        record("g", index=6, moves=(), cause=Cause.CRASH, time_controls=("1+0", "5+0.05")),
    ]


def content(file: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that a database holds, but for the moments when bots came."""
    with closing(sqlite3.connect(file)) as connection:
        tables = ("games", "details", "logs", "openings", "settings", "incidents", "tournament")
        found = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
        found["bots"] = connection.execute("SELECT number, name, identity FROM bots").fetchall()
        found["columns"] = connection.execute("PRAGMA table_info(games)").fetchall()
        found["indices"] = [
            (name, " ".join(text.split()))
            for name, text in connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL "
                "ORDER BY name"
            )
        ]
        found["pragmas"] = [
            *connection.execute("PRAGMA user_version"),
            *connection.execute("PRAGMA application_id"),
            *connection.execute("PRAGMA journal_mode"),
        ]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return found


def version(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_as_it_was(file: Path, before: bytes) -> bool:
    return version(file) == 1 and file.read_bytes() == before


# What comes of it


@pytest.mark.parametrize("opened", OPENERS)
def test_an_earlier_database_becomes_what_a_new_one_would_be(
    tmp_path: Path, opened: Callable[[Path], Store]
) -> None:
    records = mixed_records()
    file = write_version_1(tmp_path / "old", records)
    with Store.create_or_open(tmp_path / "new") as new:
        new.add(records)
        with opened(file.parent) as old:
            assert list(old.games(details=True)) == list(new.games(details=True))
            assert old.ending_rows() == new.ending_rows()
            assert old.result_columns() == new.result_columns()
    assert content(file) == content(new.file)
    columns = [name for _, name, *_ in content(file)["columns"]]
    assert columns[-6:] == [
        "moves_hash", "black_moves", "white_moves", "black_time_ns", "white_time_ns",
        "result_hash",
    ]  # fmt: skip
    sums = [row[-5:-1] for row in content(file)["games"]]
    ms = 1_000_000
    assert sums == [
        (2, 2, 4 * ms, 6 * ms),
        (1, 2, 2 * ms, 4 * ms),
        (1, 1, 1 * ms, 2 * ms),
        (1, 2, 2 * ms, 4 * ms),
        (1, 1, 1 * ms, 2 * ms),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
    ]


def test_more_games_than_are_read_at_once_are_brought_up_to_date(tmp_path: Path) -> None:
    records = [record(f"g{number}", moves=MOVES[: number % 5]) for number in range(2001)]
    file = write_version_1(tmp_path / "old", records)
    with Store.create_or_open(tmp_path / "new") as new:
        new.add(records)
    with Store.open_read_only(file.parent) as old:
        assert old.count() == 2001
    assert content(file)["games"] == content(new.file)["games"]


def test_a_database_without_games_is_brought_up_to_date(tmp_path: Path) -> None:
    file = write_version_1(tmp_path, [])
    with Store.open_read_only(tmp_path) as store:
        assert store.count() == 0
    assert version(file) == 3


def test_what_is_no_game_stays(tmp_path: Path) -> None:
    file = write_version_1(tmp_path, mixed_records())
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(
            "INSERT INTO tournament VALUES (1, 'cup', 'spec', '{\"a\":1}', 'now', 3)"
        )
        connection.execute("INSERT INTO incidents VALUES (1, 'a', 2, 'void', 'ann', 'why', 'now')")
        connection.commit()
    with Store.open_read_only(tmp_path) as store:
        tournament = store.tournament()
        assert tournament is not None
        assert (tournament.name, tournament.conditions, tournament.runs) == ("cup", {"a": 1}, 3)
        assert store.incidents() == [Incident("a", 2, IncidentKind.VOID, "ann", "why", "now")]


def test_a_tournament_goes_on_in_it(tmp_path: Path) -> None:
    write_version_1(tmp_path, mixed_records())
    with Store.create_or_open(tmp_path) as store:
        assert store.add([record("a"), record("z")]) == ("z",)
        hashes = store.result_columns().moves_hash
        assert len(hashes) == 8
        assert 0 not in hashes


@pytest.mark.parametrize("opened", OPENERS)
def test_it_happens_once(
    tmp_path: Path, opened: Callable[[Path], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_version_1(tmp_path, mixed_records())
    opened(tmp_path).close()
    before = file.read_bytes()
    monkeypatch.setattr(opening_files, "upgrade", pytest.fail)
    for again in OPENERS:
        again(tmp_path).close()
    assert file.read_bytes() == before


@pytest.mark.parametrize("opened", OPENERS)
@pytest.mark.parametrize("number", [4, 99])
def test_a_later_database_is_refused(
    tmp_path: Path, opened: Callable[[Path], Store], number: int
) -> None:
    file = write_version_1(tmp_path, mixed_records())
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {number}")
    before = file.read_bytes()
    words = rf"newer version .*its tables are version {number}, this one knows 3.* update"
    with pytest.raises(StoreError, match=words):
        opened(tmp_path)
    assert file.read_bytes() == before


# Where it cannot be done


@pytest.fixture
def sealed() -> Iterator[Callable[[Path], None]]:
    """Take the right to write a folder and its files; root gives up its powers for the test."""
    sealed_folders: list[Path] = []
    user = os.geteuid()

    def seal(folder: Path) -> None:
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        sealed_folders.append(folder)
        if user == 0:
            try:
                os.seteuid(NOBODY)
            except OSError:
                pytest.skip("this root cannot give up its powers")

    yield seal
    if user == 0:
        os.seteuid(0)
    for folder in sealed_folders:
        folder.chmod(0o755)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that other users can reach; those of pytest are private."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_folder_that_cannot_be_written_is_said(
    public: Path, sealed: Callable[[Path], None]
) -> None:
    file = write_version_1(public / "cup", mixed_records())
    before = file.read_bytes()
    sealed(file.parent)
    with pytest.raises(StoreError) as caught:
        Store.open_read_only(file.parent)
    message = str(caught.value)
    assert message.startswith(f"{file}: its tables are of an earlier version")
    assert "cannot be brought up to date here" in message
    assert "copy the folder to a place that can be written" in message
    with pytest.raises(StoreError, match=r"games\.sqlite: it cannot be (opened|written)"):
        Store.create_or_open(file.parent)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["games.sqlite"]


def test_a_folder_that_cannot_be_written_is_read_once_up_to_date(
    public: Path, sealed: Callable[[Path], None]
) -> None:
    file = write_version_1(public / "cup", mixed_records())
    Store.open_read_only(file.parent).close()
    sealed(file.parent)
    with Store.open_read_only(file.parent) as store:
        assert store.count() == len(store.result_columns().black) == 7


def test_a_log_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    file = write_version_1(tmp_path, mixed_records())
    before = file.read_bytes()
    (tmp_path / "games.sqlite-wal").mkdir()
    with pytest.raises(StoreError, match=r"earlier version .* brought up to date here .* copy"):
        Store.open_read_only(tmp_path)
    with pytest.raises(StoreError, match="it cannot be opened"):
        Store.create_or_open(tmp_path)
    (tmp_path / "games.sqlite-wal").rmdir()
    assert is_as_it_was(file, before)


DAMAGE = {
    "no zlib": ("UPDATE details SET plies = x'00'", "decompress"),
    "no JSON": (f"UPDATE details SET plies = x'{zlib.compress(b'[').hex()}'", "Expecting value"),
    "no times": (f"UPDATE details SET plies = x'{zlib.compress(b'{}').hex()}'", "elapsed_ns"),
    "no blob": ("UPDATE details SET plies = 'text'", "'text' is of the wrong type"),
    "no details": ("DELETE FROM details", "None is of the wrong type"),
    "no opening": ("DELETE FROM openings", "None is of the wrong type"),
    "no side to move": (
        "UPDATE openings SET start = replace(start, ' b', ' x')",
        "no side to move",
    ),
    "no start": ("UPDATE openings SET start = ''", "no side to move"),
    "no ASCII": ("UPDATE games SET moves = 'b1-b3 é'", "ascii"),
    "no UTF-8": ("UPDATE games SET moves = CAST(x'ff' AS TEXT)", "a text in it is damaged"),
}


@pytest.mark.parametrize("opened", OPENERS)
@pytest.mark.parametrize(("damage", "why"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_database_stays_as_it_was(
    tmp_path: Path, opened: Callable[[Path], Store], damage: str, why: str
) -> None:
    file = write_version_1(tmp_path, mixed_records())
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute(damage)
    before = file.read_bytes()
    with pytest.raises(StoreError) as caught:
        opened(tmp_path)
    assert why in str(caught.value)
    assert str(caught.value).startswith(f"{file}: a ")
    assert str(caught.value).endswith("put a copy back")
    assert is_as_it_was(file, before)


def test_one_damaged_game_among_many_is_enough(tmp_path: Path) -> None:
    file = write_version_1(tmp_path, [record(f"g{number}") for number in range(1500)])
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("UPDATE details SET plies = x'00' WHERE game = 1400")
    before = file.read_bytes()
    with pytest.raises(StoreError, match="a game in it makes no sense"):
        Store.open_read_only(tmp_path)
    assert is_as_it_was(file, before)


# Stopped in the middle, and two at once


@pytest.mark.parametrize("opened", OPENERS)
@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
def test_stopped_in_the_middle_nothing_has_changed(
    tmp_path: Path,
    opened: Callable[[Path], Store],
    stop: type[BaseException],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = write_version_1(tmp_path, mixed_records())
    before = file.read_bytes()
    calls = iter([1, 2, 3])

    def hash_or_stop(moves: str) -> int:
        if next(calls) == 3:
            raise stop
        return 7

    monkeypatch.setattr(upgrading, "moves_hash", hash_or_stop)
    with pytest.raises(stop):
        opened(tmp_path)
    assert is_as_it_was(file, before)
    monkeypatch.undo()
    with opened(tmp_path) as store:
        assert 7 not in store.result_columns().moves_hash


@pytest.mark.process
def test_killed_in_the_middle_nothing_has_changed(tmp_path: Path) -> None:
    file = write_version_1(tmp_path, [record(f"g{number}") for number in range(3000)])
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from harness.store import upgrade; from harness.store.sqlite import Store\n"
        "hashed, original = [], upgrade.moves_hash\n"
        "def hash_or_die(moves):\n"
        "    hashed.append(moves)\n"
        "    if len(hashed) == 2900: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return original(moves)\n"
        "upgrade.moves_hash = hash_or_die\n"
        "Store.create_or_open(Path(sys.argv[1]))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=PROJECT, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert version(file) == 1
    with Store.open_read_only(tmp_path) as store:
        assert store.count() == 3000
        assert 0 not in store.result_columns().moves_hash
    assert version(file) == 3


def test_another_that_is_at_it_is_waited_for(tmp_path: Path) -> None:
    file = write_version_1(tmp_path, mixed_records())
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        upgrading.upgrade(other, 1)
        for opened in (Store.open_read_only, Store.create_or_open):
            with pytest.raises(StoreError, match=r"another process has been writing") as caught:
                opened(tmp_path, busy_timeout_ms=0)
            assert "copy the folder" not in str(caught.value)
        other.execute("COMMIT")
        with Store.open_read_only(tmp_path, busy_timeout_ms=0) as store:
            assert store.count() == sum(row.games for row in store.ending_rows()) == 7


@pytest.mark.parametrize("opened", OPENERS)
def test_another_that_was_faster_has_done_it(
    tmp_path: Path, opened: Callable[[Path], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    records = mixed_records()
    file = write_version_1(tmp_path / "old", records)
    use_log = opening_files._use_write_ahead_log

    def be_overtaken(connection: sqlite3.Connection, path: Path) -> None:
        """The last moment before the lock is taken: the version has been read already."""
        use_log(connection, path)
        monkeypatch.undo()
        Store.create_or_open(file.parent).close()
        assert version(file) == 3

    monkeypatch.setattr(opening_files, "_use_write_ahead_log", be_overtaken)
    with opened(file.parent) as store:
        assert store.count() == 7
    with Store.create_or_open(tmp_path / "new") as new:
        new.add(records)
    assert content(file)["games"] == content(new.file)["games"]


def test_a_reader_of_before_goes_on_reading(tmp_path: Path) -> None:
    file = write_version_1(tmp_path, mixed_records())
    with closing(sqlite3.connect(file, isolation_level=None)) as reader:
        games = reader.execute("SELECT id FROM games ORDER BY id")
        first = games.fetchone()
        with Store.create_or_open(tmp_path, busy_timeout_ms=0) as store:
            assert store.count() == 7
        assert [first, *games] == [(name,) for name in "abcdefg"]
