from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.loa import Loa


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOA_RESULTS", raising=False)


def test_check_reports_by_line_and_ends_with_5(loa: Loa) -> None:
    Path("o.txt").write_text("b1-b3\nb1-b3\nb1-b4\nb1-b3 h4-f2\n")
    ended = loa("openings", "check", "o.txt")
    assert ended.code == 5
    assert ended.output.splitlines() == [
        "line 2: repeats line 1",
        "line 3: b1-b4 is illegal in 1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b: "
        "a piece moves exactly as many squares as there are pieces on the line",
        "o.txt: 3 openings: 2 of 1 ply, 1 of 2 plies",
        "to move: Black 1, White 2",
        "found: 1 duplicate, 1 illegal",
    ]
    assert ended.errors == ""


def test_check_prints_one_document(loa: Loa) -> None:
    Path("o.sgf").write_text("(;GM[9];B[b1-b3])(;GM[9];B[b1-b3];W[h4-f2];B[c1-c3])")
    ended = loa("openings", "check", "o.sgf", "--json")
    assert ended.code == 0
    assert json.loads(ended.output) == {
        "file": "o.sgf",
        "openings": 2,
        "lengths": {"1": 1, "3": 1},
        "to-move": {"black": 0, "white": 2},
        "findings": [],
    }
    ended = loa("openings", "check", "o.sgf", "--json", "--plies", "1")
    assert ended.code == 5
    assert json.loads(ended.output)["findings"] == [
        {
            "place": "game 2 (line 1)",
            "kind": "duplicate",
            "message": "repeats game 1 (line 1)",
        }
    ]


def test_check_knows_start_and_rules(loa: Loa) -> None:
    Path("o.txt").write_text("a7-c7\n")
    assert loa("openings", "check", "o.txt").code == 5
    assert loa("openings", "check", "o.txt", "--start", "scrambled-eggs").code == 0
    ended = loa("openings", "check", "o.txt", "--start", "scrambled-eggs", "--max-plies", "1")
    assert (ended.code, "decided by move 1: max-plies" in ended.output) == (5, True)
    ended = loa("openings", "check", "o.txt", "--repetition", "1")
    assert (ended.code, "0 (off), 2 or more" in ended.errors) == (2, True)


def test_check_of_nothing_finds_that_and_of_no_file_is_an_error(loa: Loa) -> None:
    Path("o.txt").write_text("# nothing\n")
    ended = loa("openings", "check", "o.txt")
    assert (ended.code, ended.output.splitlines()[-1]) == (5, "found: no opening")
    for path in ("missing.txt", "."):
        ended = loa("openings", "check", path)
        assert (ended.code, ended.output) == (2, "")
    Path("o.bin").write_bytes(b"\xff\xfe")
    assert loa("openings", "check", "o.bin").code == 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--judge", "nobody"), "no shipped bot is called 'nobody'"),
        (("--start", "odd"), "a start is standard"),
        (("--tc", "odd"), "is a number of seconds"),
        (("--tc", "depth=2", "--depth", "2"), "either --depth or --tc"),
        (("--output", "no/where.txt"), "there is no folder"),
        (("--output", "."), "is a directory"),
        (("--plies", "4", "--max-plies", "4"), "reaches the end of the game"),
        (("--start", "8/8/2b5/8/4b3/8/8/w6w b", "--plies", "1"), "give no opening"),
        (("--count", "0"), "--count"),
    ],
)
def test_make_refuses_before_it_judges(loa: Loa, arguments: tuple[str, ...], why: str) -> None:
    ended = loa("openings", "make", *arguments)
    assert (ended.code, ended.output) == (2, "")
    assert why in " ".join(ended.errors.split())


def test_flags_of_run_reach_the_conditions(loa: Loa) -> None:
    Path("o.txt").write_text("b1-b3 h4-f2\nc1-c3\nd1-d3\n")

    def name_of(*flags: str) -> str:
        ended = loa("run", "greedy", "random", "--openings", "o.txt", "--dry-run", *flags)
        assert ended.code == 0, ended.errors
        return ended.output.split()[1]

    names = [
        name_of(),
        name_of("--opening-order", "random"),
        name_of("--opening-order", "random", "--opening-seed", "2"),
        name_of("--first-opening", "2"),
        name_of("--opening-plies", "1"),
    ]
    assert len(set(names)) == len(names)
    assert name_of("--opening-order", "file", "--first-opening", "1") == names[0]
    assert name_of("--opening-order", "random", "--opening-seed", "1") == names[1]
