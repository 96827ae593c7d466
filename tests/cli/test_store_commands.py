from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from harness.play.types import Cause
from harness.rules.notation import parse_start
from harness.rules.sgf import read_sgf
from harness.rules.types import Color
from harness.store.sqlite import Store
from tests.cli.loa import Loa
from tests.unit.store.builders import opening, record

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "results"
    with Store.create_or_open(folder / "quick") as store:
        store.begin("quick", "", {}, {"ann": "1", "bob": "2"}, {"ann": {}, "bob": {}})
        store.add(
            [
                record(
                    "ann~bob.1a",
                    start=opening(("b1-b3",)),
                    moves=("a2-c2", "c1xa3"),
                    cause=Cause.CRASH,
                    detail="killed by signal 11\x1b[2J",
                    infos=(b"info score cp 5", None),
                    stderr=("", "trace\x1b[31m back\nsecond line\r\n\u202eend"),
                    final_reply="best\x07move",
                ),
                record("ann~bob.1b", black="bob", white="ann", index=1, winner=Color.WHITE),
                record("ann~bob.2a", index=2, winner=None, cause=Cause.REPETITION),
            ]
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOA_RESULTS", raising=False)
    return folder


# Where tournaments are


def test_a_name_is_a_folder_of_results_or_a_path(
    results: Path, loa: Loa, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = loa("export", "quick").output
    assert expected.count("\n") == 3
    for name in ("results/quick", str(results / "quick"), str(results / "quick" / "games.sqlite")):
        assert loa("export", name).output == expected
    monkeypatch.chdir("/")
    assert loa("export", "quick").code == 2
    assert loa("export", "quick", "--results", str(results)).output == expected
    monkeypatch.setenv("LOA_RESULTS", str(results))
    assert loa("export", "quick").output == expected
    monkeypatch.delenv("LOA_RESULTS")
    monkeypatch.chdir(results)
    assert loa("export", "quick").output == expected


@pytest.mark.parametrize(
    "arguments", [("games", "slow"), ("export", "slow"), ("game", "slow", "x")]
)
def test_a_missing_tournament_is_a_message(
    results: Path, loa: Loa, arguments: tuple[str, ...]
) -> None:
    ended = loa(*arguments)
    assert (ended.code, ended.output) == (2, "")
    assert "no tournament is stored in results/slow" in ended.errors
    assert not (results / "slow").exists()


# loa list


def test_list_shows_damaged_and_empty_ones_too(results: Path, loa: Loa) -> None:
    (results / "broken").mkdir()
    (results / "broken" / "games.sqlite").write_bytes(b"rubbish" * 1000)
    (results / "begun").mkdir()
    (results / "begun" / "games.sqlite").touch()
    (results / "folder").mkdir()
    (results / "README.md").write_text("not a tournament")
    ended = loa("list")
    assert ended.code == 0
    lines = ended.output.splitlines()
    assert lines[0].split() == ["NAME", "GAMES", "LAST", "GAME", "BOTS"]
    assert lines[1].split() == ["begun", "0", "-"]
    assert lines[2].startswith("broken")
    assert "damaged" in lines[2]
    assert lines[3].split() == ["quick", "3", "2026-01-02", "03:04", "ann,", "bob"]
    assert len(lines) == 4
    document = json.loads(loa("list", "--json").output)
    assert [entry["name"] for entry in document] == ["begun", "broken", "quick"]
    assert document[2]["games"] == 3
    assert "damaged" in document[1]["problem"]


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE tournament SET conditions = 'rubbish'", "the stored tournament makes no sense"),
        ("UPDATE bots SET name = x'1b5b324a' WHERE number = 3", "a stored bot makes no sense"),
        ("UPDATE bots SET name = CAST(x'1bff' AS TEXT) WHERE number = 3", "text in it is damaged"),
        ("UPDATE games SET started_at = x'00'", "the newest game makes no sense"),
        ("DROP TABLE incidents", "no such table: incidents"),
        ("PRAGMA user_version = 77", "newer version"),
        ("PRAGMA application_id = 1", "another program"),
    ],
)
def test_list_says_which_one_is_damaged_and_goes_on(
    results: Path, loa: Loa, statement: str, problem: str
) -> None:
    shutil.copytree(results / "quick", results / "good")
    shutil.copytree(results / "quick", results / "zoo")
    file = results / "quick" / "games.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute(statement)
    ended = loa("list")
    assert (ended.code, ended.errors) == (0, "")
    _, before, damaged, after = ended.output.splitlines()
    assert before.split() == ["good", "3", "2026-01-02", "03:04", "ann,", "bob"]
    assert after.split() == ["zoo", "3", "2026-01-02", "03:04", "ann,", "bob"]
    assert damaged.split()[:3] == ["quick", "-", "-"]
    assert problem in damaged
    assert damaged.isprintable()
    good, bad, zoo = json.loads(loa("list", "--json").output)
    assert good["games"] == zoo["games"] == 3
    assert list(bad) == ["name", "problem"]
    assert bad["name"] == "quick"
    assert problem in bad["problem"]


def test_a_damaged_game_is_a_message_of_every_command_that_reads_it(
    results: Path, loa: Loa
) -> None:
    with closing(sqlite3.connect(results / "quick" / "games.sqlite")) as other:
        other.execute("UPDATE games SET cause = 'rubbish'")
        other.commit()
    for arguments in (("games", "quick"), ("game", "quick", "ann~bob.1a"), ("export", "quick")):
        ended = loa(*arguments)
        assert ended.code == 1
        assert ended.errors.startswith("loa: results/quick/games.sqlite: the row of game 'ann~bob.")
        assert "makes no sense: 'rubbish' is not a valid Cause; put a copy back" in ended.errors


def test_list_without_any_is_no_error(loa: Loa, tmp_path: Path) -> None:
    ended = loa("list", "--results", str(tmp_path / "none"))
    assert (ended.code, ended.output) == (0, "")
    assert "no tournament" in ended.errors
    assert loa("list", "--json", "--results", str(tmp_path / "none")).output == "[]\n"


# loa games


def test_games_is_a_table_in_schedule_order(results: Path, loa: Loa) -> None:
    ended = loa("games", "quick")
    assert ended.code == 0
    assert [line.split() for line in ended.output.splitlines()] == [
        ["ID", "BLACK", "WHITE", "RESULT", "CAUSE", "PLIES", "SECONDS"],
        ["ann~bob.1a", "ann", "bob", "1-0", "crash", "3", "1.5"],
        ["ann~bob.1b", "bob", "ann", "0-1", "resignation", "4", "1.5"],
        ["ann~bob.2a", "ann", "bob", "1/2-1/2", "repetition", "4", "1.5"],
    ]
    assert max(map(len, ended.output.splitlines())) <= 80


def test_games_can_be_filtered(results: Path, loa: Loa) -> None:
    def ids(*arguments: str) -> list[str]:
        games = json.loads(loa("games", "quick", "--json", *arguments).output)
        return [game["id"].removeprefix("ann~bob.") for game in games]

    assert ids() == ["1a", "1b", "2a"]
    assert ids("--winner", "ann") == ["1a", "1b"]
    assert ids("--winner", "white") == ["1b"]
    assert ids("--winner", "draw") == ["2a"]
    assert ids("--cause", "crash") == ["1a"]
    assert ids("--bot", "ann", "--opponent", "bob", "--limit", "1") == ["1a"]
    assert ids("--order", "newest") == ["2a", "1b", "1a"]
    assert ids("--max-plies", "3") == ["1a"]
    assert ids("--min-plies", "99") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--cause", "boredom"), "connection simultaneous-connection"),
        (("--bot", "zoe"), "there are: ann, bob"),
        (("--winner", "zoe"), "there are: ann, bob"),
        (("--limit", "-1"), "--limit"),
        (("--order", "odd"), "newest"),
    ],
)
def test_a_filter_that_means_nothing_is_refused(
    results: Path, loa: Loa, arguments: tuple[str, ...], message: str
) -> None:
    ended = loa("games", "quick", *arguments)
    assert (ended.code, ended.output) == (2, "")
    assert message in ended.errors


def test_long_ids_are_never_cut(results: Path, loa: Loa) -> None:
    name = "n" * 64
    with Store.create_or_open(results / "long") as store:
        store.add([record(f"{name}~z.1000000a", black=name, white="z")])
    assert f"{name}~z.1000000a" in loa("games", "long").output


# loa game


def test_game_draws_the_end_with_the_last_move_marked(results: Path, loa: Loa) -> None:
    ended = loa("game", "quick", "ann~bob.1a")
    assert ended.code == 0
    assert (
        """
After ply 3 of 3, c1xa3: the end

     a   b   c   d   e   f   g   h
  8  .   B   B   B   B   B   B   .  8
  7  W   .   .   .   .   .   .   W  7
  6  W   .   .   .   .   .   .   W  6
  5  W   .   .   .   .   .   .   W  5
  4  W   .   .   .   .   .   .   W  4
  3 [B]  B   .   .   .   .   .   W  3
  2  .   .   W   .   .   .   .   W  2
  1  .   .  (.)  B   B   B   B   .  1
     a   b   c   d   e   f   g   h

      black   seconds    white   seconds
   1. b1-b3   opening    a2-c2     0.001
   2. c1xa3     0.002
"""
        in ended.output
    )
    assert "1-0, ann (black) won by crash" in ended.output
    assert 'Black     ann "Ann 1", time control 5+0.05, identity 111111111111' in ended.output


def test_nothing_of_a_bot_reaches_the_terminal_unescaped(results: Path, loa: Loa) -> None:
    output = loa("game", "quick", "ann~bob.1a").output
    assert all(line.isprintable() for line in output.splitlines())
    assert r"killed by signal 11\x1b[2J" in output
    assert r"  | trace\x1b[31m back" in output
    assert "  | second line\n" in output
    assert r"  | \u202eend" in output
    assert r"best\x07move" in output


def test_game_shows_any_ply(results: Path, loa: Loa) -> None:
    start = loa("game", "quick", "ann~bob.1a", "--ply", "0").output
    assert "Start, black to move" in start
    assert "[" not in start.split("Start")[1].split("black   seconds")[0]
    second = loa("game", "quick", "ann~bob.1a", "--ply", "2").output
    assert "After ply 2 of 3, a2-c2, black to move" in second
    assert "  2 (.)  .  [W]" in second
    for ply in ("4", "-1"):
        ended = loa("game", "quick", "ann~bob.1a", "--ply", ply)
        assert ended.code == 2
        assert "0 to 3" in ended.errors


def test_a_start_with_white_to_move_begins_in_the_right_column(results: Path, loa: Loa) -> None:
    start = parse_start("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w")
    with Store.create_or_open(results / "white") as store:
        store.add([record("w", start=opening((), start), moves=("a2-c2", "b1-b3"))])
    output = loa("game", "white", "w").output
    assert "   1. ...                a2-c2     0.001\n   2. b1-b3     0.002\n" in output


def test_game_as_sgf_and_json(results: Path, loa: Loa) -> None:
    (game,) = read_sgf(loa("game", "quick", "ann~bob.1a", "--sgf").output)
    assert (game.black, game.result, len(game.moves)) == ("ann", "B+F", 3)
    document = json.loads(loa("game", "quick", "ann~bob.1a", "--json", "--ply", "1").output)
    assert document["id"] == "ann~bob.1a"
    assert document["scores"] == ["cp 5", None]
    assert document["position"] == {
        "after-plies": 1,
        "fen": "1bbbbbb1/w6w/w6w/w6w/w6w/wb5w/w6w/2bbbbb1 w",
    }
    assert document["white-bot"]["stderr"].startswith("trace\x1b")


def test_an_unknown_game_is_a_message(results: Path, loa: Loa) -> None:
    ended = loa("game", "quick", "ann~bob.9a")
    assert (ended.code, ended.output) == (2, "")
    assert "holds no game 'ann~bob.9a'" in ended.errors


# loa export


def test_export_writes_every_format(results: Path, loa: Loa) -> None:
    lines = [json.loads(line) for line in loa("export", "quick").output.splitlines()]
    assert [line["id"] for line in lines] == ["ann~bob.1a", "ann~bob.1b", "ann~bob.2a"]
    assert list(lines[0]) == [
        "black", "cause", "id", "moves", "opening", "plies", "rules", "start", "white", "winner",
    ]  # fmt: skip
    timed = json.loads(loa("export", "quick", "--times").output.splitlines()[0])
    assert timed["elapsed-ns"] == [1_000_000, 2_000_000]
    assert len(read_sgf(loa("export", "quick", "--format", "sgf").output)) == 3
    assert loa("export", "quick", "--format", "csv").output.splitlines()[1].startswith("ann~bob.1a")
    assert loa("export", "quick", "--format", "xml").code == 2


def test_export_writes_a_file_whole_or_not_at_all(results: Path, loa: Loa, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    ended = loa("export", "quick", "--output", str(target))
    assert (ended.code, ended.output) == (0, "")
    expected = loa("export", "quick").output
    assert target.read_text() == expected
    assert target.stat().st_mode & 0o777 == 0o666 & ~_umask()

    with Store.create_or_open(results / "quick") as store:
        store.add([record("zz", index=9)])
        store._connection.execute("UPDATE games SET cause = 'odd' WHERE id = 'zz'")
    ended = loa("export", "quick", "--output", str(target))
    assert ended.code == 1
    assert "game 'zz' makes no sense" in ended.errors
    assert target.read_text() == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "results"]


def test_export_to_a_folder_that_is_not_there(results: Path, loa: Loa) -> None:
    ended = loa("export", "quick", "--output", "missing/out.jsonl")
    assert ended.code == 2
    assert "missing/out.jsonl cannot be written: No such file or directory" in ended.errors


@pytest.mark.process
def test_a_reader_that_leaves_early_is_no_error(results: Path) -> None:
    with Store.create_or_open(results / "quick") as store:
        store.add([record(f"m{number}", index=number) for number in range(3000)])
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from harness.cli.main import main; main()",
            "export",
            str(results / "quick"),
        ],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
