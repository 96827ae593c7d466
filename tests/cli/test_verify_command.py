from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harness.store.sqlite import Store
from tests.cli.loa import Loa
from tests.unit.store.builders import record
from tests.unit.verification.games import every_ending
from tests.unit.verification.test_tournament import damage, store_games


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "results"
    store_games(folder / "cup", every_ending())
    store_games(folder / "quick", every_ending()[:3])
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOA_RESULTS", raising=False)
    return folder


def test_nothing_found_is_one_sentence(results: Path, loa: Loa) -> None:
    ended = loa("verify", "cup")
    assert (ended.code, ended.errors) == (0, "")
    assert ended.output == "20 games of cup verified: nothing was found\n"
    ended = loa("verify", "cup", "quick", "results/cup")
    assert ended.code == 0
    assert ended.output == "43 games of 3 tournaments verified: nothing was found\n"


def test_what_is_found_is_listed_and_counted(results: Path, loa: Loa) -> None:
    damage(results / "cup", "UPDATE games SET plies = 9 WHERE id = 'ann~bob.2a'")
    ended = loa("verify", "cup")
    assert (ended.code, ended.errors) == (5, "")
    assert ended.output.splitlines() == [
        "ann~bob.2a: number of plies: stored 9, found 1",
        "cup: 1 finding in 20 games",
    ]
    damage(results / "cup", "UPDATE games SET plies = 9")
    ended = loa("verify", "quick", "cup", "--limit", "2")
    assert ended.code == 5
    assert ended.output.splitlines() == [
        "cup: ann~bob.1a: number of plies: stored 9, found 1",
        "cup: ann~bob.1b: number of plies: stored 9, found 2",
        "cup: 20 findings in 20 games, 2 are listed",
    ]


def test_json_is_one_document(results: Path, loa: Loa) -> None:
    damage(
        results / "cup",
        "UPDATE games SET plies = 9 WHERE id = 'ann~bob.2a'",
        "UPDATE tournament SET conditions = '1'",
    )
    ended = loa("verify", "cup", "quick", "--json")
    assert ended.code == 5
    document = json.loads(ended.output)
    assert document["found"] == 2
    cup, quick = document["tournaments"]
    assert cup["findings"][1] == {
        "game": "ann~bob.2a",
        "what": "number of plies",
        "stored": "9",
        "found": "1",
    }
    assert cup["findings"][0]["game"] is None
    assert cup["findings"][0]["what"].startswith("the stored tournament makes no sense")
    assert (cup["name"], cup["folder"], cup["games"], cup["found"]) == (
        "cup", "results/cup", 20, 2,
    )  # fmt: skip
    assert quick == {
        "name": "quick",
        "folder": "results/quick",
        "games": 3,
        "found": 0,
        "findings": [],
    }


def test_one_that_cannot_be_read_does_not_hide_the_others(results: Path, loa: Loa) -> None:
    (results / "bad").mkdir()
    (results / "bad" / "games.sqlite").write_bytes(b"rubbish" * 1000)
    damage(results / "quick", "UPDATE games SET plies = 9 WHERE id = 'ann~bob.2a'")
    ended = loa("verify", "bad", "quick")
    assert (ended.code, ended.errors) == (5, "")
    first, count, second, last = ended.output.splitlines()
    assert first.startswith("bad: database: this is no SQLite database")
    assert count == "bad: 1 finding in 0 games"
    assert second == "quick: ann~bob.2a: number of plies: stored 9, found 1"
    assert last == "quick: 1 finding in 3 games"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "NAME"),
        (("none",), "no tournament is stored in results/none"),
        (("cup", "--limit", "-1"), "--limit"),
        (("cup", "--limit", "some"), "--limit"),
    ],
)
def test_what_cannot_be_done_is_a_message(
    results: Path, loa: Loa, arguments: tuple[str, ...], message: str
) -> None:
    ended = loa("verify", *arguments)
    assert (ended.code, ended.output) == (2, "")
    assert message in ended.errors


def test_what_is_not_there_does_not_hide_the_others(results: Path, loa: Loa) -> None:
    ended = loa("verify", "none", "cup", "nor-this")
    assert ended.code == 2
    assert ended.output == "20 games of cup verified: nothing was found\n"
    assert [line.split(";")[0] for line in ended.errors.splitlines()] == [
        "loa: no tournament is stored in results/none",
        "loa: no tournament is stored in results/nor-this",
    ]
    damage(results / "cup", "UPDATE games SET plies = 9 WHERE id = 'ann~bob.2a'")
    ended = loa("verify", "none", "cup")
    assert ended.code == 5
    assert "results/none" in ended.errors


def test_a_damaged_file_is_told_in_lines_of_their_own_with_what_to_do(
    results: Path, loa: Loa
) -> None:
    file = results / "cup" / "games.sqlite"
    with closing(sqlite3.connect(file)) as database:
        (root,) = database.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'games_results'"
        ).fetchone()
    content = bytearray(file.read_bytes())
    page = 4096 * (root - 1)
    content[page + 9 : page + 11] = b"\xff\xfe"  # where an entry of this index begins
    file.write_bytes(content)
    ended = loa("verify", "cup")
    assert ended.code == 5
    *lines, advice = ended.output.splitlines()
    assert any(line.startswith("database: On tree page ") for line in lines)
    assert "\\n" not in ended.output
    assert "***" not in ended.output
    assert len({*lines}) == len(lines)
    assert advice.startswith("cup: the file itself is damaged: put a copy back, or")
    assert ".recover" in advice


def test_stored_text_is_inert(results: Path, loa: Loa) -> None:
    hostile = "\x1b[2J\u202e\nx"
    store_games(results / hostile, [])
    with closing(sqlite3.connect(results / hostile / "games.sqlite")) as other:
        other.execute("UPDATE tournament SET conditions = ?", [hostile])
        other.commit()
    with Store.create_or_open(results / hostile) as store:
        store.add([record(hostile)])
    for form in ((), ("--json",)):
        ended = loa("verify", *form, hostile)
        assert ended.code == 5
        assert all(line.isprintable() for line in ended.output.splitlines())
    assert r"\x1b[2J\u202e\nx: id: stored " in loa("verify", hostile).output


def test_a_database_of_an_earlier_version_is_brought_up_to_date(results: Path, loa: Loa) -> None:
    shutil.copytree(results / "quick", results / "old")
    damage(
        results / "old",
        "ALTER TABLE games DROP COLUMN result_hash",
        "DROP TABLE logs",
        "DROP TABLE schedule",
        "PRAGMA user_version = 2",
    )
    assert loa("verify", "old").output == "3 games of old verified: nothing was found\n"
