from __future__ import annotations

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.errors import NoSuchTournamentError, StoreError
from harness.store.sqlite import Store
from tests.unit.store.builders import record

pytestmark = pytest.mark.process

PROJECT = Path(__file__).parents[2]

# Adds batches of one to five games for ever; a line is written only after add has returned.
WRITER = """
import itertools, random, sys
from pathlib import Path
from harness.store.sqlite import Store
from tests.unit.store.builders import record

chance = random.Random(int(sys.argv[2]))
with Store.create_or_open(Path(sys.argv[1])) as store:
    for batch in itertools.count():
        records = [
            record(f"{sys.argv[2]}.{batch}.{n}", stderr=("x" * chance.randrange(6000), ""))
            for n in range(chance.randint(1, 5))
        ]
        print(" ".join(store.add(records)), flush=True)
"""


def _start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
    )


def _check_integrity(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "games.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        orphans = "SELECT count(*) FROM games WHERE number NOT IN (SELECT game FROM details)"
        assert database.execute(orphans).fetchone() == (0,)


def test_no_acknowledged_game_is_lost_by_kill(tmp_path: Path) -> None:
    chance = random.Random(20)
    acknowledged: set[str] = set()
    for round_number in range(10):
        with _start(WRITER, str(tmp_path), str(round_number)) as writer:
            assert writer.stdout is not None
            first = writer.stdout.readline()  # started: from here on it writes all the time
            time.sleep(chance.uniform(0, 0.15))
            writer.kill()
            lines = [first, *writer.stdout.read().splitlines(keepends=True)]
        assert writer.returncode == -signal.SIGKILL
        # A line that was cut off in its middle was not acknowledged to anybody.
        acknowledged |= {one for line in lines if line.endswith("\n") for one in line.split()}
        with Store.open_read_only(tmp_path) as reader:
            assert acknowledged <= reader.stored_ids()
        _check_integrity(tmp_path)
    assert len(acknowledged) >= 10
    with Store.create_or_open(tmp_path) as store:
        assert acknowledged <= store.stored_ids()
        assert sum(1 for _ in store.games(details=True)) == store.count()


def test_a_kill_while_the_store_is_made_leaves_one_that_opens(tmp_path: Path) -> None:
    chance = random.Random(21)
    for number in range(5):
        folder = tmp_path / str(number)
        with _start(WRITER, str(folder), "0") as writer:
            deadline = time.monotonic() + 60
            while not folder.exists():
                assert time.monotonic() < deadline
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.02))
            writer.kill()
            assert writer.stdout is not None
            acknowledged = set(writer.stdout.read().split())
        with Store.create_or_open(folder) as store:
            assert acknowledged <= store.stored_ids()
            store.add([record("after")])
        _check_integrity(folder)


def test_a_reader_is_never_refused_while_another_process_writes(tmp_path: Path) -> None:
    with _start(WRITER, str(tmp_path), "0") as writer:
        try:
            assert writer.stdout is not None
            writer.stdout.readline()
            before = 0
            for _ in range(100):
                with Store.open_read_only(tmp_path, busy_timeout_ms=0) as reader:
                    games = reader.stored_ids()
                    assert sum(1 for _ in reader.games(details=True)) >= len(games) >= before
                    before = len(games)
        finally:
            writer.kill()


# Root may write anywhere, so it becomes nobody, after its imports.
READER = """
import os, sys
from pathlib import Path
from harness.errors import HarnessError
from harness.store.sqlite import Store

if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with Store.open_read_only(Path(sys.argv[1])) as store:
        print(sum(1 for _ in store.games(details=True)), store.pairing_counts()[0].wins)
except HarnessError as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter; pytest's own is for one user alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def _read_without_rights(folder: Path) -> str:
    """What a reader says that may not write into the folder."""
    folder.chmod(0o555)
    with _start(READER, str(folder)) as reader:
        output, _ = reader.communicate(timeout=60)
    return output


def test_a_folder_that_cannot_be_written_is_read(open_folder: Path) -> None:
    with Store.create_or_open(open_folder) as store:
        store.add([record("a"), record("b")])
    assert _read_without_rights(open_folder) == "2 2\n"
    assert [path.name for path in open_folder.iterdir()] == ["games.sqlite"]


def test_a_folder_that_cannot_be_written_is_read_while_another_writes(open_folder: Path) -> None:
    with Store.create_or_open(open_folder) as store:
        store.add([record("a"), record("b")])
        assert (open_folder / "games.sqlite-wal").stat().st_size > 0
        assert _read_without_rights(open_folder) == "2 2\n"


def test_unmerged_games_in_a_folder_that_cannot_be_written_are_not_passed_over(
    open_folder: Path,
) -> None:
    with Store.create_or_open(open_folder) as store:
        store.add([record("a")])
        copies = {path.name: path.read_bytes() for path in open_folder.iterdir()}
    for name, content in copies.items():
        if not name.endswith("-shm"):
            (open_folder / name).write_bytes(content)
    output = _read_without_rights(open_folder)
    assert output == "1 1\n" or "copy the whole folder" in output


def test_a_missing_folder_is_not_made_by_reading(tmp_path: Path) -> None:
    with pytest.raises(NoSuchTournamentError):
        Store.open_read_only(tmp_path / "missing")
    assert not (tmp_path / "missing").exists()


def test_a_device_is_no_database(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "games.sqlite")
    assert stat.S_ISFIFO((tmp_path / "games.sqlite").stat().st_mode)
    with pytest.raises(StoreError, match="no file"):
        Store.open_read_only(tmp_path)
