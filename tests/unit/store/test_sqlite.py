from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from harness.errors import (
    ConditionsError,
    NoSuchGameError,
    NoSuchTournamentError,
    StoreError,
)
from harness.play.types import Cause
from harness.rules.position import SCRAMBLED_EGGS_START
from harness.rules.types import Color, NoMovesRule, RuleSet, SimultaneousRule
from harness.store import queries
from harness.store.rows import (
    GameFilter,
    GameOrder,
    Incident,
    IncidentKind,
    PairingCount,
    StoredPly,
)
from harness.store.sqlite import Store
from tests.unit.store.builders import MOVES, opening, record

CONDITIONS = {"seed": 1, "time-control": "5+0.05", "rules": {"repetition": 3}}
IDENTITIES = {"ann": "1" * 64, "bob": "2" * 64}
DEFINITIONS: Mapping[str, Mapping[str, object]] = {
    "ann": {"module": "bots.ann", "options": {"Depth": "2"}},
    "bob": {"module": "bots.bob", "options": {}},
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path / "deep" / "store", busy_timeout_ms=0) as opened:
        yield opened


def _begin(
    store: Store,
    conditions: Mapping[str, object] = CONDITIONS,
    identities: Mapping[str, str] = IDENTITIES,
    definitions: Mapping[str, Mapping[str, object]] = DEFINITIONS,
    accept: tuple[str, ...] = (),
) -> list[str]:
    return store.begin(
        "quick", "[tournament]\n", conditions, identities, definitions, accept_changed=accept
    )


def _raw(store: Store) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(store.file, isolation_level=None))


# Games in, games out


def test_a_game_comes_back_as_it_was_played(store: Store) -> None:
    start = opening(("b1-b3", "a2-c2"))
    played = record(
        "ann~bob.3b",
        black="bob",
        white="ann",
        index=5,
        pair=3,
        leg="b",
        start=start,
        moves=("c1xa3", "h2-f2"),
        cause=Cause.TIME,
        winner=Color.WHITE,
        detail="no answer in 5.050 s",
        infos=(b"info depth 3 score cp -12 pv c1a3", None),
        stderr=("warning: slow\n", ""),
        final_reply="bestmove",
        time_controls=("10+0.1", "nodes=200"),
        rules=RuleSet(SimultaneousRule.MOVER, NoMovesRule.LOSS, 0, None),
        provenance={"slot": 2, "attempt": 1, "containment": "namespace"},
    )
    assert store.add([played]) == ("ann~bob.3b",)
    game = store.game("ann~bob.3b")

    assert (game.game_id, game.schedule_index, game.batch) == ("ann~bob.3b", 5, 0)
    assert (game.encounter, game.pair, game.leg) == ("ann~bob", 3, "b")
    assert (game.black.name, game.white.name) == ("bob", "ann")
    assert (game.black.identity, game.white.identity) == ("1" * 64, "2" * 64)
    assert (game.black.time_control, game.white.time_control) == ("10+0.1", "nodes=200")
    assert game.opening == start.content_id
    assert game.start == "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b"
    assert game.opening_plies == 2
    assert game.moves == ("b1-b3", "a2-c2", "c1xa3", "h2-f2")
    assert game.rules == played.spec.rules
    assert game.outcome == played.outcome
    assert (game.margin_ns, game.max_think_ns, game.seed) == (50_000_000, 120_000_000_000, 7)
    assert (game.started_at, game.duration_ns) == (played.started_at, played.duration_ns)
    details = game.details
    assert details is not None
    assert details.plies == (
        StoredPly(1_000_000, "info depth 3 score cp -12 pv c1a3"),
        StoredPly(2_000_000, None),
    )
    assert (details.black.stderr, details.white.stderr) == ("warning: slow\n", "")
    assert (details.black.announced, details.white.process_id) == ("Ann 1", 102)
    assert details.final_reply == "bestmove"
    assert details.provenance == {"slot": 2, "attempt": 1, "containment": "namespace"}


def test_moves_are_stored_in_written_form_with_captures_and_other_starts(store: Store) -> None:
    store.add([record("x", start=opening((), SCRAMBLED_EGGS_START), moves=("h2f2",))])
    game = store.game("x")
    assert game.start == "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b"
    store.add([record("y", moves=("b1h1", "a2c2", "c1a3"))])
    assert store.game("y").moves == ("b1-h1", "a2-c2", "c1xa3")


def test_the_first_record_of_an_id_wins(store: Store) -> None:
    assert store.add([record("a"), record("b"), record("a", winner=None)]) == ("a", "b")
    assert store.add([record("b", winner=None), record("c")]) == ("c",)
    assert store.count() == 3
    assert store.game("a").outcome.winner is Color.BLACK
    assert store.game("b").outcome.winner is Color.BLACK
    assert store.stored_ids() == {"a", "b", "c"}


def test_an_empty_batch_is_no_transaction(store: Store) -> None:
    with _raw(store) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.add([]) == ()
        store.add_incidents([])


def test_texts_of_bots_may_hold_anything(store: Store) -> None:
    nasty = "a\0b\udc80c\x1b[2J\u202eé"
    store.add(
        [
            record(
                "n",
                detail=nasty,
                final_reply=nasty,
                stderr=(nasty, "x" * 100_000),
                announced=(nasty, ""),
                infos=(b"info string \xff\x00", None, None, None),
                provenance={"host": nasty},
            )
        ]
    )
    game = store.game("n")
    clean = "a\ufffdb\ufffdc\x1b[2J\u202eé"
    assert game.outcome.detail == clean
    assert game.details is not None
    assert game.details.final_reply == clean
    assert game.details.black.stderr == clean
    assert game.details.white.stderr == "x" * 100_000
    assert game.details.black.announced == clean
    assert game.details.plies[0].info == "info string \ufffd\0"


def test_an_unknown_game_is_named(store: Store) -> None:
    with pytest.raises(NoSuchGameError, match=r"ann~bob\.9a"):
        store.game("ann~bob.9a")
    with pytest.raises(NoSuchGameError):
        store.game("a\0\udc80")


# Order and filters


def test_schedule_order_has_surplus_games_last_by_id(store: Store) -> None:
    store.add([record(name, index=9) for name in ("s2", "g2", "s10", "g0", "g1")])
    places = {"g0": 0, "g1": 1, "g2": 2}
    assert store.reschedule(places.get) == 2
    assert [game.game_id for game in store.games()] == ["g0", "g1", "g2", "s10", "s2"]
    assert store.game("s2").schedule_index is None
    assert store.reschedule({"s2": 0, "s10": 1, "g0": 2, "g1": 3, "g2": 4}.get) == 0
    assert [game.game_id for game in store.games()] == ["s2", "s10", "g0", "g1", "g2"]


def test_filters_hold_together(store: Store) -> None:
    store.add(
        [
            record("1", black="ann", white="bob", index=0),
            record("2", black="bob", white="ann", index=1, winner=Color.WHITE),
            record("3", black="ann", white="cyd", index=2, winner=None, cause=Cause.REPETITION),
            record("4", black="bob", white="cyd", index=3, winner=Color.WHITE, moves=MOVES[:2]),
        ]
    )

    def found(**wanted: object) -> list[str]:
        return [game.game_id for game in store.games(GameFilter(**wanted))]  # type: ignore[arg-type]

    assert found() == ["1", "2", "3", "4"]
    assert found(bot="ann") == ["1", "2", "3"]
    assert found(bot="ann", opponent="bob") == ["1", "2"]
    assert found(opponent="cyd") == ["3", "4"]
    assert found(bot="nobody") == []
    assert found(cause=Cause.REPETITION) == ["3"]
    assert found(result="draw") == ["3"]
    assert found(result="white") == ["2", "4"]
    assert found(won_by="ann") == ["1", "2"]
    assert found(won_by="cyd") == ["4"]
    assert found(min_plies=3) == ["1", "2", "3"]
    assert found(max_plies=3) == ["4"]
    assert found(limit=2) == ["1", "2"]
    assert found(limit=0) == []
    assert found(order=GameOrder.NEWEST) == ["4", "3", "2", "1"]
    assert found(order=GameOrder.LONGEST, limit=1) == ["1"]
    assert found(bot="bob", result="white", max_plies=3) == ["4"]


def test_games_without_details_do_not_load_them(store: Store) -> None:
    store.add([record("a")])
    with _raw(store) as other:
        other.execute("UPDATE details SET plies = x'00'")
    (game,) = store.games()
    assert game.details is None
    with pytest.raises(StoreError, match="game 'a' makes no sense"):
        store.game("a")


# Counts


def test_pairing_counts_are_from_blacks_side_and_keep_identities_apart(store: Store) -> None:
    old, new = "0" * 64, "9" * 64
    results = [Color.BLACK, Color.BLACK, None, Color.WHITE]
    games = [
        record(f"a{number}", winner=winner, identities=(old, "2"))
        for number, winner in enumerate(results)
    ]
    games.append(record("n", winner=None, identities=(new, "2")))
    games.append(record("r", black="bob", white="ann", identities=("2", old)))
    store.add(games)
    assert store.pairing_counts() == [
        PairingCount("ann", "bob", old, "2", wins=2, draws=1, losses=1),
        PairingCount("ann", "bob", new, "2", wins=0, draws=1, losses=0),
        PairingCount("bob", "ann", "2", old, wins=1, draws=0, losses=0),
    ]
    assert store.games_by_bot() == {"ann": 6, "bob": 6}


def test_pairing_counts_read_the_covering_index_alone(store: Store) -> None:
    with _raw(store) as other:
        plan = other.execute("EXPLAIN QUERY PLAN " + queries.PAIRINGS).fetchall()
    assert [row[3] for row in plan] == ["SCAN games USING COVERING INDEX games_results"]


def test_schedule_order_needs_no_sorting(store: Store) -> None:
    text, parameters = queries.many_games(GameFilter(), details=True)
    with _raw(store) as other:
        plan = [row[3] for row in other.execute("EXPLAIN QUERY PLAN " + text, parameters)]
    assert not any("TEMP B-TREE" in step for step in plan), plan


def test_an_empty_store_has_a_summary(store: Store) -> None:
    summary = store.summary()
    assert (summary.name, summary.bots, summary.games, summary.last_started_at) == (
        "store", (), 0, "",
    )  # fmt: skip
    assert store.tournament() is None
    assert store.pairing_counts() == []


def test_a_summary_names_bots_begun_and_bots_played(store: Store) -> None:
    _begin(store)
    store.add([record("a", black="zoe", started_at="2026-05-06T07:08:09+00:00")])
    store.add_incidents([Incident("b", 1, IncidentKind.VOID, "bob", "silent", "now")])
    summary = store.summary()
    assert summary.name == "quick"
    assert summary.bots == ("ann", "bob", "zoe")
    assert (summary.games, summary.incidents) == (1, 1)
    assert summary.last_started_at == "2026-05-06T07:08:09+00:00"


def test_incidents_come_back_in_order(store: Store) -> None:
    incidents = [
        Incident("g", 1, IncidentKind.VOID, "bob", "silent after isready", "2026-01-01T00:00:00"),
        Incident("g", 2, IncidentKind.LOST_ATTEMPT, "", "the worker died", "2026-01-01T00:00:01"),
        Incident("", 1, IncidentKind.SET_ASIDE, "bob", "would not start", "2026-01-01T00:00:02"),
    ]
    store.add_incidents(incidents[:2])
    store.add_incidents(incidents[2:])
    assert store.incidents() == incidents
    assert store.count() == 0


# The same name again


def test_the_same_conditions_go_on(store: Store) -> None:
    assert _begin(store) == []
    store.add([record("a")])
    assert _begin(store) == []
    tournament = store.tournament()
    assert tournament is not None
    assert (tournament.name, tournament.spec_text, tournament.runs) == (
        "quick",
        "[tournament]\n",
        2,
    )
    assert tournament.conditions == CONDITIONS


def test_other_conditions_are_refused_with_every_difference(store: Store) -> None:
    _begin(store)
    store.add([record("a")])
    other = {**CONDITIONS, "seed": 2, "time-control": "9+1"}
    changed = {**DEFINITIONS, "ann": {"module": "bots.ann", "options": {"Depth": "3"}}}
    with pytest.raises(ConditionsError) as caught:
        _begin(store, other, {**IDENTITIES, "bob": "3" * 64}, changed)
    message = str(caught.value)
    for part in ("seed: stored 1, now 2", "stored 5+0.05, now 9+1", "ann", "Depth", "bot bob"):
        assert part in message
    assert len(caught.value.differences) == 4
    tournament = store.tournament()
    assert tournament is not None
    assert tournament.conditions == CONDITIONS  # nothing of it was stored
    assert tournament.runs == 1


def test_before_the_first_game_everything_may_change(store: Store) -> None:
    _begin(store)
    other = {**CONDITIONS, "seed": 2}
    assert _begin(store, other, {"ann": "5" * 64, "bob": "6" * 64}, {"ann": {}, "bob": {}}) == []
    tournament = store.tournament()
    assert tournament is not None
    assert tournament.conditions == other


def test_only_bots_that_have_played_are_compared(store: Store) -> None:
    identities = {**IDENTITIES, "cyd": "3" * 64}
    _begin(store, identities=identities)
    store.add([record("a")])
    changed = {**DEFINITIONS, "cyd": {"module": "other"}}
    assert _begin(store, identities={**identities, "cyd": "4" * 64}, definitions=changed) == []


def test_a_changed_bot_is_refused_unless_accepted(store: Store) -> None:
    _begin(store)
    store.add([record("a")])
    changed = {**IDENTITIES, "ann": "7" * 64}
    with pytest.raises(ConditionsError, match="--accept-changed ann"):
        _begin(store, identities=changed, accept=("bob",))
    (notice,) = _begin(store, identities=changed, accept=("ann",))
    assert "ann has changed" in notice
    assert _begin(store, identities=changed) == []  # accepted once is accepted
    store.add([record("b", identities=("7" * 64, "2" * 64))])
    with pytest.raises(ConditionsError):
        _begin(store)  # and back is a change again


def test_a_bot_that_left_is_said_and_bound_when_it_returns(store: Store) -> None:
    _begin(store)
    store.add([record("a"), record("b")])
    (notice,) = _begin(store, identities={"bob": IDENTITIES["bob"], "cyd": "3"})
    assert notice == "ann takes part no longer; its 2 games stay and count"
    with pytest.raises(ConditionsError, match="bot ann"):
        _begin(store, identities={**IDENTITIES, "ann": "8" * 64})
    assert _begin(store) == []


def test_conditions_compare_as_json(store: Store) -> None:
    with_tuples: dict[str, object] = {"lines": ("a", "b"), "none": None}
    _begin(store, with_tuples)
    store.add([record("a")])
    assert _begin(store, with_tuples) == []


def test_games_without_a_beginning_bind_identities_only(store: Store) -> None:
    store.add([record("a")])
    assert _begin(store) == []


# Several connections, and what can go wrong


def test_a_reader_sees_whole_batches_while_a_writer_writes(store: Store) -> None:
    store.add([record("a"), record("b")])
    with Store.open_read_only(store.folder, busy_timeout_ms=0) as reader:
        games = reader.games()
        first = next(games).game_id
        store._connection.execute("BEGIN IMMEDIATE")
        store._connection.execute("DELETE FROM details")
        assert reader.count() == 2
        assert reader.game("b").details is not None
        store._connection.execute("ROLLBACK")
        store.add([record("c")])
        assert [first, *(game.game_id for game in games)] == ["a", "b"]  # one state of the store
        assert reader.stored_ids() == {"a", "b", "c"}


def test_a_reader_cannot_write(store: Store) -> None:
    store.add([record("a")])
    with Store.open_read_only(store.folder) as reader, pytest.raises(StoreError, match="written"):
        reader.add([record("b")])


def test_a_reader_leaves_no_files_behind(tmp_path: Path) -> None:
    with Store.create_or_open(tmp_path) as writer:
        writer.add([record("a")])
    before = sorted(tmp_path.iterdir())
    with Store.open_read_only(tmp_path) as reader:
        assert reader.count() == 1
    assert sorted(tmp_path.iterdir()) == before == [tmp_path / "games.sqlite"]


def test_what_was_stored_is_there_when_opened_again(tmp_path: Path) -> None:
    with Store.create_or_open(tmp_path) as store:
        store.add([record("a")])
    with Store.create_or_open(tmp_path) as store:
        assert store.add([record("a"), record("b")]) == ("b",)
        assert store.pairing_counts()[0].wins == 2


def test_the_file_is_safe_against_power_loss(store: Store) -> None:
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_missing_tournament_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoSuchTournamentError, match="nowhere"):
        Store.open_read_only(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "games.sqlite").touch()  # killed before the first table
    with pytest.raises(NoSuchTournamentError):
        Store.open_read_only(tmp_path)
    with Store.create_or_open(tmp_path) as store:
        assert store.count() == 0


def test_a_locked_store_says_so_and_goes_on_afterwards(store: Store) -> None:
    with _raw(store) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process"):
            store.add([record("a")])
        other.execute("ROLLBACK")
    assert store.add([record("a")]) == ("a",)


def test_what_is_read_before_writing_cannot_change_meanwhile(store: Store) -> None:
    store.add([record("a")])

    def interfere(game_id: str) -> int:
        with _raw(store) as other:
            other.execute("PRAGMA busy_timeout = 0")
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("DELETE FROM incidents")
        return 5

    store.reschedule(interfere)
    assert store.game("a").schedule_index == 5


def test_a_full_disk_loses_nothing_that_was_stored(store: Store) -> None:
    store.add([record("a")])
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    big = [
        record("b", black="new", stderr=("x" * 500_000, "")),
        record("c", black="new"),
    ]
    with pytest.raises(StoreError, match="full"):
        store.add(big)
    assert store.stored_ids() == {"a"}
    store._connection.execute("PRAGMA max_page_count = 1000000")
    assert store.add(big) == ("b", "c")  # numbers of the undone transaction are forgotten
    assert store.game("c").black.name == "new"


def test_a_failure_in_the_middle_stores_nothing(store: Store) -> None:
    with _raw(store) as other:
        other.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON games WHEN NEW.id = 'c' "
            "BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
    with pytest.raises(StoreError, match="refused"):
        store.add([record("a"), record("b"), record("c")])
    assert store.stored_ids() == set()
    assert store.add([record("a")]) == ("a",)


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + b"\1" * 5000])
def test_a_damaged_file_is_no_traceback(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "games.sqlite").write_bytes(content)
    with pytest.raises(StoreError, match=r"damaged|no SQLite"):
        Store.open_read_only(tmp_path)
    with pytest.raises(StoreError, match=r"damaged|no SQLite"):
        Store.create_or_open(tmp_path)
    assert (tmp_path / "games.sqlite").read_bytes() == content


def test_damage_in_the_middle_is_a_store_error(tmp_path: Path) -> None:
    with Store.create_or_open(tmp_path) as store:
        store.add([record(f"g{number}", stderr=("x" * 1000, "")) for number in range(200)])
    file = tmp_path / "games.sqlite"
    content = bytearray(file.read_bytes())
    middle = slice(len(content) // 2, len(content) * 3 // 4)
    content[middle] = b"\xff" * len(content[middle])
    file.write_bytes(content)
    with Store.open_read_only(tmp_path) as store, pytest.raises(StoreError, match="damaged"):
        list(store.games(details=True))


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as other:
        other.execute("CREATE TABLE mine (a)")
    for opened in (Store.open_read_only, Store.create_or_open):
        with pytest.raises(StoreError, match="another program"):
            opened(tmp_path)


def test_a_newer_store_is_left_alone(store: Store) -> None:
    with _raw(store) as other:
        other.execute("PRAGMA user_version = 4")
    for opened in (Store.open_read_only, Store.create_or_open):
        with pytest.raises(StoreError, match=r"newer version .* update loa-harness"):
            opened(store.folder)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(StoreError, match="folder cannot be made"):
        Store.create_or_open(tmp_path / "taken")
    with pytest.raises(NoSuchTournamentError):
        Store.open_read_only(tmp_path / "taken")


def test_a_folder_where_the_file_should_be(tmp_path: Path) -> None:
    (tmp_path / "games.sqlite").mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.create_or_open(tmp_path)
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open_read_only(tmp_path)


def test_names_of_folders_may_hold_anything(tmp_path: Path) -> None:
    folder = tmp_path / "50% ?mode=memory#x é"
    with Store.create_or_open(folder) as store:
        store.add([record("a")])
    assert (folder / "games.sqlite").stat().st_size > 0
    with Store.open_read_only(folder) as store:
        assert store.count() == 1


def test_games_that_nobody_reads_on_may_outlive_the_store(store: Store) -> None:
    store.add([record("a"), record("b")])
    games = store.games()
    next(games)
    store.close()
    games.close()  # type: ignore[attr-defined]


def test_a_closed_store_is_an_error_and_closing_twice_is_none(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.count()
