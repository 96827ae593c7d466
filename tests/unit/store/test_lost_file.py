"""The file is deleted, moved or replaced while it is written to: nothing is lost, all is said."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.errors import StoreError
from harness.store.rows import Incident, IncidentKind
from harness.store.sqlite import Store
from tests.unit.store.builders import record

NAME = "games.sqlite"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path / "cup") as opened:
        opened.add([record("a"), record("b")])
        yield opened


def add_fails(store: Store, name: str = "c") -> str:
    with pytest.raises(StoreError) as caught:
        store.add([record(name)])
    assert caught.value.path == str(store.file.absolute())
    return caught.value.why


def holds(file: Path, *names: str) -> None:
    """Whether a file is a whole database with these games, with nothing needed beside it."""
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        found = {name for (name,) in database.execute("SELECT id FROM games")}
    assert found == set(names)


def goes_on(folder: Path, *names: str) -> None:
    with Store.create_or_open(folder) as again:
        assert again.stored_ids() == set(names)
        assert again.add([record("later"), record("a")]) == ("later",)
        assert len(list(again.games(details=True))) == len(names) + 1


def test_a_deleted_file_is_written_anew(store: Store) -> None:
    store.file.unlink()
    why = add_fails(store)
    assert why == (
        "while it was open for writing, it was deleted; every game was written anew in its place: "
        "run the same again"
    )
    holds(store.file, "a", "b", "c")
    assert [path.name for path in store.folder.iterdir()] == [NAME]
    goes_on(store.folder, "a", "b", "c")


def test_a_deleted_folder_is_made_anew(store: Store) -> None:
    shutil.rmtree(store.folder)
    assert "deleted" in add_fails(store)
    holds(store.file, "a", "b", "c")
    goes_on(store.folder, "a", "b", "c")


def test_the_same_is_said_again_and_nothing_is_written_twice(store: Store) -> None:
    store.file.unlink()
    why = add_fails(store)
    before = store.file.read_bytes()
    assert add_fails(store, "d") == why
    with pytest.raises(StoreError, match="deleted"):
        store.add_incidents([Incident("a", 1, IncidentKind.VOID, "ann", "why", "now")])
    assert store.count() == 3  # what reads goes on reading
    assert store.file.read_bytes() == before
    store.close()
    assert store.file.read_bytes() == before
    assert [path.name for path in store.folder.iterdir()] == [NAME]


INCIDENT = Incident("a", 1, IncidentKind.VOID, "ann", "why", "now")
WRITES: dict[str, tuple[Callable[[Store], object], Callable[[Store], bool]]] = {
    "incidents": (
        lambda store: store.add_incidents([INCIDENT]),
        lambda saved: bool(saved.incidents()),
    ),
    "reschedule": (
        lambda store: store.reschedule(lambda _: 4),
        lambda saved: saved.game("a").schedule_index == 4,
    ),
    "begin": (
        lambda store: store.begin("cup", "", {}, {"cyd": "1"}, {"cyd": {}}),
        lambda saved: saved.tournament() is not None,
    ),
}


@pytest.mark.parametrize(("write", "is_saved"), WRITES.values(), ids=WRITES)
def test_every_write_notices_it(
    store: Store, write: Callable[[Store], object], is_saved: Callable[[Store], bool]
) -> None:
    store.file.unlink()
    with pytest.raises(StoreError, match="deleted"):
        write(store)
    with Store.open_read_only(store.folder) as saved:
        assert saved.stored_ids() == {"a", "b"}
        assert is_saved(saved)


def test_a_moved_file_gets_everything(store: Store, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere.sqlite"
    store.file.rename(moved)
    assert f"it was moved; it is now {moved} and holds every game: move it back" in add_fails(store)
    assert not store.file.exists()
    store.close()
    holds(moved, "a", "b", "c")
    moved.rename(store.file)
    goes_on(store.folder, "a", "b", "c")


def test_a_moved_folder_gets_everything(store: Store, tmp_path: Path) -> None:
    store.folder.rename(tmp_path / "cup2")
    assert f"now {tmp_path / 'cup2' / NAME} and holds every game" in add_fails(store)
    assert not store.folder.exists()
    store.close()
    goes_on(tmp_path / "cup2", "a", "b", "c")


def test_a_file_with_a_second_name_is_not_deleted(store: Store, tmp_path: Path) -> None:
    second = tmp_path / "second.sqlite"
    second.hardlink_to(store.file)
    store.file.unlink()
    assert "under another name and holds every game" in add_fails(store)
    store.close()
    holds(second, "a", "b", "c")


def test_a_file_that_was_put_in_its_place_is_left_alone(store: Store, tmp_path: Path) -> None:
    with Store.create_or_open(tmp_path / "other") as other:
        other.add([record("x")])
    (tmp_path / "other" / NAME).replace(store.file)
    saved = store.folder / "games-saved-1.sqlite"
    assert f"every game is in {saved}: move it back" in add_fails(store)
    store.close()
    holds(saved, "a", "b", "c")
    holds(store.file, "x")
    saved.replace(store.file)
    goes_on(store.folder, "a", "b", "c")


def test_a_saved_file_is_never_written_over(store: Store) -> None:
    for name in (NAME, "games-saved-1.sqlite"):
        (store.folder / name).unlink(missing_ok=True)
        (store.folder / name).write_text("mine")
    assert "games-saved-2.sqlite" in add_fails(store)
    holds(store.folder / "games-saved-2.sqlite", "a", "b", "c")
    assert (store.folder / "games-saved-1.sqlite").read_text() == "mine"


def test_a_moved_file_that_is_still_read_is_copied(store: Store, tmp_path: Path) -> None:
    """Its newest games cannot be brought out of the log beside its old place."""
    store._connection.execute("PRAGMA busy_timeout = 0")
    with Store.open_read_only(store.folder) as reader:
        games = reader.games()
        next(games)
        store.file.rename(tmp_path / "elsewhere.sqlite")
        assert "it was moved; every game was written anew in its place" in add_fails(store)
        games.close()  # type: ignore[attr-defined]
    holds(store.file, "a", "b", "c")


def test_where_it_cannot_be_written_anew_another_place_is_found(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    shutil.rmtree(store.folder)
    store.folder.write_text("no folder")
    saved = tmp_path / "temporary" / NAME
    assert f"it was deleted; every game is in {saved}: move it back" in add_fails(store)
    holds(saved, "a", "b", "c")


def test_where_nothing_can_be_written_that_is_said(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(store.folder / "none"))
    shutil.rmtree(store.folder)
    store.folder.write_text("no folder")
    why = add_fails(store)
    assert "it was deleted, and its games could not be written (" in why
    assert re.search("cup: .*exists.*none: ", why)


def test_a_folder_that_cannot_be_looked_into_is_no_loss(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    assert store.add([record("c")]) == ("c",)


@pytest.mark.process
def test_watching_takes_no_locks_away(store: Store) -> None:
    """Closing another handle of the file itself would drop this process's locks on it.

    Then the next process that closes the database believes to be the last, and deletes its log.
    """
    Store.create_or_open(store.folder).close()
    code = (
        "import sqlite3, sys; other = sqlite3.connect(sys.argv[1])\n"
        "print(other.execute('SELECT count(*) FROM games').fetchone()[0]); other.close()"
    )
    arguments = [sys.executable, "-c", code, str(store.file)]
    ended = subprocess.run(arguments, check=True, capture_output=True, text=True)
    assert ended.stdout == "2\n"
    assert store.file.with_name(f"{NAME}-wal").exists()
    assert store.add([record("c")]) == ("c",)
    store.close()
    holds(store.file, "a", "b", "c")
