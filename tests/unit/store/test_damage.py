"""What is stored may be damaged: whatever that is, it is said in words and never a traceback."""

from __future__ import annotations

import random
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.errors import HarnessError, NoSuchGameError, StoreError
from harness.play.clock import TimeControl
from harness.store.rows import Incident, IncidentKind
from harness.store.selection import BotPattern, Selection, Terms
from harness.store.sqlite import Store
from tests.unit.store.builders import opening, record

Call = Callable[[Store], object]

SELECTION = Selection(
    Terms((BotPattern("a*"), BotPattern("b*")), (TimeControl.parse("5+0.05"),)),
)


def begin(store: Store) -> list[str]:
    bots = ("ann", "bob")
    return store.begin(
        "cup", "spec", {"seed": 1}, dict.fromkeys(bots, "1"), {bot: {} for bot in bots},
        accept_changed=bots,
    )  # fmt: skip


READING: dict[str, Call] = {
    "tournament": Store.tournament,
    "summary": Store.summary,
    "stored_ids": Store.stored_ids,
    "games": lambda store: list(store.games()),
    "details": lambda store: list(store.games(details=True)),
    "game": lambda store: store.game("g1"),
    "incidents": Store.incidents,
    "games_by_bot": Store.games_by_bot,
    "pairing_counts": Store.pairing_counts,
    "result_columns": lambda store: (store.result_columns(), store.result_columns(SELECTION)),
    "ending_rows": lambda store: (store.ending_rows(), store.ending_rows(SELECTION)),
    "length_rows": lambda store: (store.length_rows(), store.length_rows(SELECTION)),
    "ply_times": lambda store: store.ply_times(2, SELECTION),
}
WRITING: dict[str, Call] = {
    "begin": begin,
    "add": lambda store: store.add([record("new")]),
}
CALLS = READING | WRITING


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path / "cup") as opened:
        fill(opened)
        yield opened


def fill(store: Store) -> None:
    begin(store)
    start = opening(("b1-b3",))
    store.add(
        [
            record("g0"),
            record("g1", start=start, moves=("a2-c2",), log="0.1 ann > go\n"),
            record("g2"),
        ]
    )
    store.add_incidents([Incident("g0", 1, IncidentKind.VOID, "bob", "silent", "now")])


def damage(store: Store, statement: str) -> None:
    """Change what SQLite itself would not let anybody store."""
    with closing(sqlite3.connect(store.file, isolation_level=None)) as other:
        other.execute("PRAGMA ignore_check_constraints = ON")
        other.execute(statement)


NO_TEXT = "CAST(x'61ff62' AS TEXT)"  # SQLite gives it back, it is no UTF-8
CASES = [
    # conditions
    ("UPDATE tournament SET conditions = 'rubbish'", "tournament summary begin"),
    ("UPDATE tournament SET conditions = '[1]'", "tournament summary begin"),
    ("UPDATE tournament SET conditions = ''", "tournament summary begin"),
    ("UPDATE tournament SET conditions = '{\"seed\":'", "tournament summary begin"),
    (f"UPDATE tournament SET conditions = '{'[' * 100_000}'", "tournament summary begin"),
    (f"UPDATE tournament SET conditions = '{{\"seed\": {'1' * 5000}}}'", "tournament begin"),
    ("UPDATE tournament SET conditions = x'ff'", "tournament summary begin"),
    (f"UPDATE tournament SET conditions = {NO_TEXT}", "tournament summary begin"),
    (f"UPDATE tournament SET name = {NO_TEXT}", "tournament summary"),
    ("UPDATE tournament SET name = x'61'", "tournament summary"),
    ("UPDATE tournament SET runs = 'often'", "tournament summary"),
    # bots
    ("UPDATE bots SET definition = 'rubbish'", "begin"),
    ("UPDATE bots SET definition = '[1]'", "begin"),
    (f"UPDATE bots SET definition = {NO_TEXT}", "begin"),
    (f"UPDATE bots SET name = {NO_TEXT} WHERE number = 3", "games game games_by_bot ending_rows"),
    ("UPDATE bots SET name = x'61' WHERE number = 3", "games game games_by_bot ending_rows"),
    ("UPDATE bots SET name = x'61' WHERE number = 1", "summary"),
    ("DELETE FROM bots WHERE number = 3", "pairing_counts result_columns ending_rows"),
    # games
    ("UPDATE games SET cause = 'boredom'", "games details game ending_rows"),
    ("UPDATE games SET winner = 'nobody'", "games details game ending_rows"),
    ("UPDATE games SET winner = x'00'", "games details game ending_rows"),
    (f"UPDATE games SET cause = {NO_TEXT}", "games details game ending_rows"),
    (f"UPDATE games SET moves = {NO_TEXT}", "games details game"),
    ("UPDATE games SET moves = x'61'", "games details game"),
    ("UPDATE games SET started_at = x'61'", "games game summary"),
    (f"UPDATE games SET started_at = {NO_TEXT}", "games game summary"),
    ("UPDATE games SET id = x'6731' WHERE number = 2", "games stored_ids"),
    (f"UPDATE games SET id = {NO_TEXT} WHERE number = 2", "games stored_ids"),
    ("UPDATE games SET pair = 'first'", "games game result_columns"),
    ("UPDATE games SET pair = x'ff'", "games game result_columns"),
    ("UPDATE games SET black = 99999999999", "result_columns pairing_counts ending_rows"),
    ("UPDATE games SET opening = 99", "result_columns"),
    ("UPDATE games SET moves_hash = 1.5", "result_columns"),
    ("UPDATE games SET plies = 'many'", "ending_rows length_rows"),
    ("UPDATE games SET black_time_ns = 9223372036854775807", "ending_rows"),
    ("UPDATE games SET white_moves = 0.5", "ending_rows"),
    # what games share
    ("UPDATE settings SET rules = 'rubbish2'", "games game"),
    ("UPDATE settings SET rules = '{}'", "games game"),
    ("UPDATE settings SET rules = '[2]'", "games game"),
    (f"UPDATE settings SET black_time = {NO_TEXT}", "games game result_columns"),
    ("UPDATE settings SET white_time = x'ff'", "games game ending_rows length_rows ply_times"),
    (f"UPDATE openings SET moves = {NO_TEXT}", "games game ply_times"),
    (f"UPDATE openings SET content_id = {NO_TEXT} WHERE number = 1", "games result_columns"),
    ("UPDATE openings SET start = ''", "ply_times"),
    # details
    ("UPDATE details SET plies = x'00'", "details game ply_times"),
    ("UPDATE details SET plies = 'text'", "details game ply_times"),
    ("UPDATE details SET plies = zeroblob(100000)", "details game ply_times"),
    (f"UPDATE details SET black_stderr = {NO_TEXT}", "details game"),
    ("UPDATE details SET white_announced = x'00'", "details game"),
    ("UPDATE details SET black_process_id = 'me'", "details game"),
    ("UPDATE details SET provenance = 'rubbish'", "details game"),
    ("UPDATE details SET provenance = '1'", "details game"),
    ('UPDATE details SET provenance = \'{"black-cpu-on-turn-ms": "much"}\'', "details game"),
    ("UPDATE details SET provenance = '{\"white-peak-memory-kib\": 0.5}'", "details game"),
    # protocol lines
    ("UPDATE logs SET text = x'00'", "details game"),
    ("UPDATE logs SET text = 'go'", "details game"),
    (f"UPDATE logs SET text = x'{zlib.compress(bytes([255])).hex()}'", "details game"),
    # incidents
    ("UPDATE incidents SET kind = 'rubbish'", "incidents"),
    (f"UPDATE incidents SET why = {NO_TEXT}", "incidents"),
    ("UPDATE incidents SET bot = x'00'", "incidents"),
    ("UPDATE incidents SET attempt = 'first'", "incidents"),
]


@pytest.mark.parametrize(("statement", "calls"), CASES, ids=[case[0][:80] for case in CASES])
def test_damaged_content_is_a_store_error(store: Store, statement: str, calls: str) -> None:
    damage(store, statement)
    for name in calls.split():
        with pytest.raises(StoreError) as caught:
            CALLS[name](store)
        assert caught.value.path == str(store.file)
        assert str(caught.value).startswith(f"{store.file}: ")
        assert len(caught.value.why) < 300
    for name, call in CALLS.items():  # the others may give what they still can
        try:
            call(store)
        except (StoreError, NoSuchGameError):
            assert name


def test_what_is_damaged_is_named(store: Store) -> None:
    damage(store, "UPDATE games SET cause = 'boredom' WHERE id = 'g1'")
    with pytest.raises(StoreError, match="the row of game 'g1' makes no sense: 'boredom' is not"):
        list(store.games())
    assert [store.game(name).game_id for name in ("g0", "g2")] == ["g0", "g2"]
    damage(store, "UPDATE tournament SET conditions = 'rubbish'")
    with pytest.raises(
        StoreError, match=r"the stored tournament makes no sense: .*put a copy back"
    ):
        store.tournament()
    damage(store, "UPDATE incidents SET kind = 'rubbish'")
    with pytest.raises(StoreError, match="a stored incident makes no sense: 'rubbish' is not"):
        store.incidents()
    damage(store, f"UPDATE bots SET name = {NO_TEXT} WHERE number = 3")
    with pytest.raises(StoreError, match=r"a text in it is damaged .*column 'name'.*copy back"):
        store.games_by_bot()


def test_a_beginning_that_finds_damage_changes_nothing(store: Store) -> None:
    damage(store, "UPDATE bots SET definition = 'rubbish'")
    with pytest.raises(StoreError, match="what was begun here before makes no sense"):
        begin(store)
    tournament = store.tournament()
    assert tournament is not None
    assert tournament.runs == 1
    assert not store._connection.in_transaction


def test_the_fault_of_a_caller_is_no_damage(store: Store) -> None:
    def fail(game_id: str) -> int:
        raise KeyError(game_id)

    with pytest.raises(KeyError):
        store.reschedule(fail)


def test_a_damaged_text_in_the_tables_themselves_is_said(tmp_path: Path) -> None:
    """SQLite quotes the text in its message, which then is no text either."""
    with Store.create_or_open(tmp_path) as store:
        fill(store)
    file = tmp_path / "games.sqlite"
    content = file.read_bytes()
    assert content.count(b"CREATE TABLE incidents") == 1
    file.write_bytes(content.replace(b"CREATE TABLE incidents", b"CREATE TABLE\xe4incidents"))
    for opened in (Store.open_read_only, Store.create_or_open):
        with pytest.raises(StoreError, match="damaged"):
            opened(tmp_path)


def test_whatever_bit_has_flipped_the_reader_gets_values_or_words(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    with Store.create_or_open(folder) as store:
        fill(store)
        store._connection.execute("VACUUM")
    file = folder / "games.sqlite"
    sound = file.read_bytes()
    places = [place for place, byte in enumerate(sound) if byte and place >= 100]
    chance = random.Random(4)
    failures = 0
    for _ in range(400):
        content = bytearray(sound)
        content[chance.choice(places)] ^= 1 << chance.randrange(8)
        file.write_bytes(content)
        failures += _reads_or_says(folder)
    assert failures > 20


def _reads_or_says(folder: Path) -> int:
    failures = 0
    try:
        with Store.open_read_only(folder) as store:
            for call in READING.values():
                try:
                    call(store)
                except HarnessError:
                    failures += 1
            ids = store.stored_ids()
            assert all(isinstance(game_id, str) for game_id in ids)
    except HarnessError:
        failures += 1
    return failures
