"""A damaged store is what a verification is for: each damage is one finding, the rest goes on."""

from __future__ import annotations

import random
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from harness.errors import NoSuchTournamentError
from harness.play.types import Exited
from harness.store.sqlite import Store
from tests.unit.verification.games import every_ending, played
from tests.unit.verification.test_tournament import damage, found, store_games, verified

NO_TEXT = "CAST(x'61ff62' AS TEXT)"
ONE = "WHERE id = 'ann~bob.1a'"
OF_ONE = "WHERE game = (SELECT number FROM games WHERE id = 'ann~bob.1a')"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return store_games(tmp_path / "cup", every_ending())


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (f"UPDATE games SET cause = 'boredom' {ONE}", "its row cannot be read: 'boredom' is not"),
        (f"UPDATE games SET moves = x'00' {ONE}", "its row cannot be read: b'\\x00' is of the"),
        (f"UPDATE games SET moves = {NO_TEXT} {ONE}", "its row cannot be read: the text 'a\\udcff"),
        (f"UPDATE games SET plies = 'many' {ONE}", "its row cannot be read: 'many' is of the"),
        (f"UPDATE games SET result_hash = 0.5 {ONE}", "its row cannot be read: 0.5 is of the"),
        (f"DELETE FROM details {OF_ONE}", "its details (times, error output) are missing"),
        (f"UPDATE details SET plies = x'00' {OF_ONE}", "its details cannot be read: Error -"),
        (f"UPDATE details SET plies = 'x' {OF_ONE}", "its details cannot be read: 'x' is of"),
        (
            f"UPDATE details SET plies = x'{zlib.compress(b'{}').hex()}' {OF_ONE}",
            "its details cannot be read: 'elapsed_ns' is missing",
        ),
        (
            f"UPDATE details SET white_stderr = {NO_TEXT} {OF_ONE}",
            "its details cannot be read: the",
        ),
        (f"UPDATE details SET provenance = '[' {OF_ONE}", "its details cannot be read: Expecting"),
    ],
)
def test_a_damaged_row_is_one_finding(folder: Path, statement: str, expected: str) -> None:
    damage(folder, statement, "UPDATE games SET plies = 9 WHERE id = 'ann~bob.10b'")
    *lines, last = found(folder)
    (line,) = (one for one in lines if not one.startswith("database: "))
    assert line.startswith(f"ann~bob.1a: {expected}")
    assert last == "ann~bob.10b: number of plies: stored 9, found 4"  # the games after it
    assert verified(folder).games == 20


def test_without_its_times_a_game_is_played_again_by_its_moves(folder: Path) -> None:
    damage(folder, f"UPDATE details SET plies = x'00' {OF_ONE}")
    damage(folder, f"UPDATE games SET winner = 'white' {ONE}")
    unreadable, hash_of_result, winner = found(folder)
    assert "its details cannot be read" in unreadable
    assert "hash of the result" in hash_of_result
    assert winner == "ann~bob.1a: winner: stored white, found black"


def test_what_is_missing_beside_games_is_said_of_each(folder: Path) -> None:
    damage(folder, "DELETE FROM openings WHERE moves != ''")
    lines = found(folder)
    database = [line for line in lines if line.startswith("database: ")]
    assert database
    assert all("of games belongs to a row of openings that is missing" in one for one in database)
    assert [line.split(":")[0] for line in lines if line not in database] == [
        "ann~bob.10a",
        "ann~bob.10b",
    ]


def test_details_and_protocol_lines_of_no_game_are_found(folder: Path) -> None:
    damage(
        folder,
        f"INSERT INTO details SELECT 99, {DETAILS} FROM details LIMIT 1",
        "INSERT INTO logs VALUES (98, x'00')",
    )
    assert sorted(found(folder)) == [
        "database: row 98 of logs belongs to a row of games that is missing",
        "database: row 99 of details belongs to a row of games that is missing",
    ]


DETAILS = (
    "plies, final_reply, black_announced, white_announced, black_stderr, white_stderr, "
    "black_process_id, white_process_id, provenance"
)


def test_an_id_that_is_no_text_is_called_by_its_number(folder: Path) -> None:
    damage(folder, f"UPDATE games SET id = x'ff' {ONE}")
    assert any(line.startswith("game number 1: its row cannot be read") for line in found(folder))


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE incidents SET kind = 'odd'", "database: a stored incident makes no sense"),
        ("UPDATE tournament SET conditions = '1'", "database: the stored tournament makes no"),
        ("DROP TABLE incidents", "database: the database refuses: no such table: incidents"),
        ("DROP INDEX games_schedule", "database: no such index: games_schedule"),
        ("DROP TABLE games", "database: "),
        ("PRAGMA user_version = 77", "database: it was written by a newer version"),
        ("PRAGMA application_id = 5", "database: this is the database of another program"),
    ],
)
def test_what_is_wrong_with_the_database_is_said(
    folder: Path, statement: str, expected: str
) -> None:
    damage(folder, "INSERT INTO incidents VALUES (1, 'g', 1, 'void', 'ann', 'why', 'now')")
    assert found(folder) == []
    damage(folder, statement)
    lines = found(folder)
    assert lines[0].startswith(expected)


@pytest.mark.parametrize("content", [b"rubbish" * 1000, b"SQLite format 3\0" + b"\1" * 5000])
def test_what_is_no_database_is_a_finding(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "games.sqlite").write_bytes(content)
    (line,) = found(tmp_path)
    assert line.startswith("database: ")
    assert verified(tmp_path).games == 0


def test_nothing_stored_is_no_finding(tmp_path: Path) -> None:
    with pytest.raises(NoSuchTournamentError):
        verified(tmp_path)
    Store.create_or_open(tmp_path).close()
    assert (verified(tmp_path).games, found(tmp_path)) == (0, [])


def test_a_damaged_page_does_not_hide_the_other_games(tmp_path: Path) -> None:
    games = [played(f"ann~bob.{number}a", ["b1-b3"], Exited("", 5)) for number in range(1, 301)]
    folder = store_games(tmp_path / "cup", games)
    file = folder / "games.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("VACUUM")
        page_size = database.execute("PRAGMA page_size").fetchone()[0]
    content = bytearray(file.read_bytes())
    page = content.index(b"ann~bob.150aann~bob") // page_size
    content[page * page_size : (page + 1) * page_size] = b"\xff" * page_size
    file.write_bytes(content)
    result = verified(folder, most=10_000)
    lines = [finding.text for finding in result.findings]
    assert any(line.startswith("database: ") for line in lines)
    hurt = {line.split(":")[0] for line in lines} - {"database"}
    assert 1 <= len(hurt) < 150
    assert result.games == 300


def test_whatever_bit_has_flipped_it_is_found_or_changes_nothing(tmp_path: Path) -> None:
    folder = store_games(tmp_path / "cup", every_ending())
    with closing(sqlite3.connect(folder / "games.sqlite", isolation_level=None)) as database:
        database.execute("VACUUM")
    file = folder / "games.sqlite"
    sound = file.read_bytes()
    places = [place for place, byte in enumerate(sound) if byte and place >= 100]
    chance = random.Random(4)
    noticed = 0
    for _ in range(150):
        content = bytearray(sound)
        content[chance.choice(places)] ^= 1 << chance.randrange(8)
        for rest in folder.iterdir():
            if rest != file:
                rest.unlink()
        file.write_bytes(content)
        noticed += verified(folder).found > 0
    assert noticed > 75
    file.write_bytes(sound)
    assert found(folder) == []
