"""The disk is full, read-only or damaged in the middle of a run: said, nothing lost, mended."""

from __future__ import annotations

import os
import resource
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from harness.errors import StoreError
from harness.play.types import GameRecord
from harness.store.sqlite import Store
from tests.unit.store.builders import record

NOBODY = 65534


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path / "cup", busy_timeout_ms=0) as opened:
        opened.add([record("a"), record("b")])
        yield opened


def large(name: str) -> GameRecord:
    """A game that takes 300 KB whatever packs it."""
    return record(name, stderr=(os.urandom(150_000).hex(), ""))


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """What a disk without room is to a process; it cannot be told from a failing one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def is_sound(folder: Path, *names: str) -> None:
    with closing(sqlite3.connect(folder / "games.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with Store.open_read_only(folder) as reader:
        assert [game.game_id for game in reader.games(details=True)] == list(names)


@pytest.mark.parametrize("again", ["same store", "opened again"])
def test_a_disk_without_room_loses_nothing(store: Store, again: str) -> None:
    longest = max(path.stat().st_size for path in store.folder.iterdir())
    with no_file_longer_than(longest + 50_000):
        for _ in range(2):
            with pytest.raises(StoreError, match=r"disk .* full .* stored before is kept") as one:
                store.add([large("c")])
            assert str(one.value).startswith(f"{store.file}: ")
        assert store.stored_ids() == {"a", "b"}
        assert store.add([record("small")]) == ("small",)
    if again == "same store":
        assert store.add([large("c"), record("d")]) == ("c", "d")
    else:
        store.close()
        with Store.create_or_open(store.folder) as other:
            assert other.add([large("c"), record("d")]) == ("c", "d")
    is_sound(store.folder, "a", "b", "c", "d", "small")


def test_a_disk_that_is_full_from_the_beginning_is_said(tmp_path: Path) -> None:
    with (
        no_file_longer_than(3_000),
        pytest.raises(StoreError, match=r"disk .* full"),
        Store.create_or_open(tmp_path) as store,
    ):
        store.add([record("a")])
    with Store.create_or_open(tmp_path) as store:
        assert store.add([record("a")]) == ("a",)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_FULL, "the disk is full; make room, then run the same again"),
        (sqlite3.SQLITE_IOERR, "the disk failed or is full"),
        (sqlite3.SQLITE_READONLY, "look at the rights of the folder and its files"),
        (sqlite3.SQLITE_CORRUPT, "the database is damaged"),
    ],
)
def test_what_fails_at_the_commit_is_said_and_undone(store: Store, code: int, words: str) -> None:
    class Failing:
        """A connection whose next commit fails."""

        def __init__(self, real: sqlite3.Connection) -> None:
            self._real = real

        def __getattr__(self, name: str) -> object:
            return getattr(self._real, name)

        def execute(self, text: str, *values: object) -> object:
            if text == "COMMIT":
                error = sqlite3.OperationalError("as the disk likes")
                error.sqlite_errorcode = code
                raise error
            return self._real.execute(text, *values)  # type: ignore[arg-type]

    real = store._connection
    store._connection = Failing(real)  # type: ignore[assignment]
    with pytest.raises(StoreError, match=words):
        store.add([record("c", black="new")])
    store._connection = real
    assert store.stored_ids() == {"a", "b"}
    assert store.add([record("c", black="new")]) == ("c",)
    assert store.game("c").black.name == "new"


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that other users can reach; those of pytest are private."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_folder_that_becomes_read_only_is_said_when_it_is_opened_again(public: Path) -> None:
    folder = public / "cup"
    with Store.create_or_open(folder) as store:
        store.add([record("a")])
    for path in (folder, *folder.iterdir()):
        path.chmod(0o555)
    with as_nobody(), pytest.raises(StoreError, match=r"be (opened|written)"):
        Store.create_or_open(folder).add([record("b")])
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    with Store.create_or_open(folder) as store:
        assert store.add([record("b")]) == ("b",)
    is_sound(folder, "a", "b")


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write anywhere; it gives that up for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_damage_in_the_middle_of_a_run_is_said_and_nothing_acknowledged_is_lost(
    tmp_path: Path,
) -> None:
    names = [f"g{number:03}" for number in range(200)]
    with Store.create_or_open(tmp_path) as store:
        store.add([record(name, stderr=(name * 200, "")) for name in names])
    sound = store.file.read_bytes()
    with Store.create_or_open(tmp_path) as store:
        with store.file.open("r+b") as file:  # the same file: neither deleted nor replaced
            file.seek(4096)
            file.write(b"\xff" * (len(sound) - 4096))
        with pytest.raises(StoreError, match=r"damaged .* put a copy back, or save"):
            store.add([record("new")])
    with store.file.open("r+b") as file:
        file.write(sound)
    with Store.create_or_open(tmp_path) as store:
        assert store.add([record("new")]) == ("new",)
    is_sound(tmp_path, *names, "new")
