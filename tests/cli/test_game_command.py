"""What a person sees of a game to understand how it ended: clocks, use, programs, last lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.play.types import BotUsage, Cause, Opening, TimedOut
from harness.rules.types import Color
from harness.store.sqlite import Store
from tests.cli.loa import Loa
from tests.unit.store.builders import record
from tests.unit.verification.games import FEW, MS, QUIET, answer, played

LOG = "12.500 ann > go\n13.000 ann < \x1b[2Jbestmove\u202e x\n"
DEFINITIONS = {
    "ann": {
        "command": "./ann --fast 'a b'",
        "options": {"Depth": "4", "Style": "\x1b[31mwild"},
        "env": {"TOKEN": "secret"},
        "protocol": "uci",
    },
    "bob": {"module": "bots.bob", "options": {}, "protocol": "ugi"},
}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "results"
    few = Opening(FEW)
    usage = (
        BotUsage(1_234 * MS, 5 * MS, 120 * 2**20),
        BotUsage(7 * MS, 0, 0),
    )
    with Store.create_or_open(folder / "cup") as store:
        store.begin("cup", "", {}, {"ann": "1" * 64, "bob": "2" * 64}, DEFINITIONS)
        store.add(
            [
                record(
                    "forfeit",
                    cause=Cause.MALFORMED_REPLY,
                    winner=Color.WHITE,
                    usage=usage,
                    log=LOG,
                    stderr=("", "Traceback\x1b[0m\nlast line"),
                ),
                record("plain", identities=("9" * 64, "2" * 64)),
                played("ann~bob.1a", QUIET[:2], TimedOut(5_049 * MS), opening=few),
                played("ann~bob.1b", QUIET[:2], answer(b"bestmove", 5_101 * MS), opening=few),
                played(
                    "ann~bob.2a", [], TimedOut(120_000 * MS), opening=few,
                    time_controls=("depth=3", "5"),
                ),
            ]
        )  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOA_RESULTS", raising=False)
    return folder


def lines_of(loa: Loa, *arguments: str) -> list[str]:
    ended = loa("game", "cup", *arguments)
    assert (ended.code, ended.errors) == (0, "")
    lines = ended.output.splitlines()
    assert all(line.isprintable() for line in lines)
    return lines


def test_the_protocol_lines_then_the_errors(results: Path, loa: Loa) -> None:
    assert lines_of(loa, "forfeit", "--log") == [
        "forfeit: milliseconds, bot, > to it, < from it, ! error output",
        "12.500 ann > go",
        r"13.000 ann < \x1b[2Jbestmove\u202e x",
        "",
        "Error output of bob (its end):",
        r"  | Traceback\x1b[0m",
        "  | last line",
    ]


def test_without_protocol_lines_that_is_said(results: Path, loa: Loa) -> None:
    (line,) = lines_of(loa, "plain", "--log")
    assert line.startswith("plain: no protocol lines were kept; they are kept of games that end")


def test_programs_and_what_they_used_are_shown(results: Path, loa: Loa) -> None:
    lines = lines_of(loa, "forfeit")
    assert lines[1:6] == [
        'Black     ann "Ann 1", time control 5+0.05, identity 111111111111',
        r"          command ./ann --fast 'a b', options Depth=4 Style=\x1b[31mwild, protocol uci",
        "          CPU 1.234 s on turn, 0.005 s off turn, at most 120.0 MiB of memory",
        'White     bob "Bob 2", time control 5+0.05, identity 222222222222',
        "          module bots.bob",
    ]
    assert lines[6] == "          CPU 0.007 s on turn, 0.000 s off turn"
    assert lines[-1] == "The protocol lines that were kept: --log"
    assert not any("secret" in line for line in lines)


def test_what_is_not_known_is_left_out(results: Path, loa: Loa) -> None:
    lines = lines_of(loa, "plain")
    assert lines[1].startswith("Black     ann")
    assert lines[2].startswith("White     bob")
    assert not any(line.startswith(("Time ", "          CPU", "The protocol")) for line in lines)


@pytest.mark.parametrize(
    ("game_id", "line", "document"),
    [
        (
            "ann~bob.1a",
            "Time      5.099 s for the move, 50 ms of it margin; no answer came",
            {"limit-ns": 5_099 * MS, "used-ns": None},
        ),
        (
            "ann~bob.1b",
            "Time      5.099 s for the move, 50 ms of it margin; the answer came after 5.101 s",
            {"limit-ns": 5_099 * MS, "used-ns": 5_101 * MS},
        ),
        (
            "ann~bob.2a",
            "Time      120.000 s for the move; no answer came",
            {"limit-ns": 120_000 * MS, "used-ns": None},
        ),
    ],
)
def test_a_loss_on_time_shows_limit_and_use(
    results: Path, loa: Loa, game_id: str, line: str, document: dict[str, int | None]
) -> None:
    assert line in lines_of(loa, game_id)
    assert json.loads(loa("game", "cup", game_id, "--json").output)["time-forfeit"] == document


def test_json_has_it_all(results: Path, loa: Loa) -> None:
    document = json.loads(loa("game", "cup", "forfeit", "--json").output)
    assert document["log"] == LOG.split("\n")
    assert document["time-forfeit"] is None
    black, white = document["black-bot"], document["white-bot"]
    assert black["definition"] == DEFINITIONS["ann"]
    assert (black["cpu-on-turn-ms"], black["cpu-off-turn-ms"]) == (1234, 5)
    assert (black["peak-memory-kib"], white["peak-memory-kib"]) == (120 * 1024, 0)
    plain = json.loads(loa("game", "cup", "plain", "--json").output)
    assert plain["black-bot"]["definition"] is None
    assert plain["white-bot"]["definition"] == DEFINITIONS["bob"]
    assert plain["log"] == []


def test_only_one_form_at_a_time(results: Path, loa: Loa) -> None:
    for forms in (("--log", "--sgf"), ("--log", "--json"), ("--sgf", "--json")):
        ended = loa("game", "cup", "plain", *forms)
        assert (ended.code, ended.output) == (2, "")
        assert "give one of --log, --sgf and --json" in ended.errors


def test_where_it_was_played_is_shown_where_that_is_known(results: Path, loa: Loa) -> None:
    known: dict[str, str | int] = {
        "slot": 2,
        "affinity": "3",
        "containment": "pid-namespace+parent-death",
        "white-sandbox": "bwrap",
    }
    with Store.create_or_open(results / "cup") as store:
        store.add([record("placed", provenance=known)])
        store.add([record("free", provenance=known | {"affinity": "off"})])
        store.add([record("two", provenance=known | {"affinity": "0,1"})])
    placed = loa("game", "cup", "placed").output
    assert "Slot      2, processor 3, pid-namespace+parent-death\n" in placed
    assert "Sandbox   none (black), bwrap (white)\n" in placed
    assert "Slot      2, processors 0,1, pid-name" in loa("game", "cup", "two").output
    assert "Slot      2, any processor, pid-name" in loa("game", "cup", "free").output
    assert "Slot " not in loa("game", "cup", "plain").output


def test_how_late_its_moves_were_is_shown_where_that_is_known(results: Path, loa: Loa) -> None:
    known: dict[str, str | int] = {"late-p50-us": 12, "late-p99-us": 34_560, "late-turns": 43}
    with Store.create_or_open(results / "cup") as store:
        store.add([record("late", provenance=known)])
        store.add([record("odd", provenance=known | {"late-p50-us": "\x1b[31m"})])
    line = "Late      0.01 ms a move (median), 34.56 ms (99 %), of 43 moves: waits for a processor"
    assert line in lines_of(loa, "late")
    assert json.loads(loa("game", "cup", "late", "--json").output)["provenance"] == known
    for game_id in ("odd", "plain"):
        assert not any(text.startswith("Late") for text in lines_of(loa, game_id))
