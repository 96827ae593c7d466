from __future__ import annotations

import csv
import json
from pathlib import Path

from harness.play.types import Cause
from harness.rules.sgf import read_sgf
from harness.rules.types import Color, NoMovesRule, RuleSet, SimultaneousRule
from harness.store.export import csv_lines, jsonl, score_of_info, sgf_lines
from harness.store.rows import StoredGame
from harness.store.sqlite import Store
from tests.unit.store.builders import opening, record

GOLDEN = (
    '{"black":"ann","cause":"connection","id":"ann~bob.1a",'
    '"moves":["b1-b3","a2-c2","c1xa3","h2-f2"],'
    '"opening":"b1e69f0c4b46531e","plies":4,'
    '"rules":{"max-plies":400,"no-moves":"pass","repetition":3,"simultaneous":"draw"},'
    '"start":"1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b","white":"bob","winner":"black"}\n'
    '{"black":"bob","cause":"max-plies","id":"ann~bob.1b",'
    '"moves":["b1-b3"],'
    '"opening":"b1e69f0c4b46531e","plies":1,'
    '"rules":{"max-plies":null,"no-moves":"loss","repetition":0,"simultaneous":"mover"},'
    '"start":"1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b","white":"ann","winner":null}\n'
)


def _games(folder: Path, *, is_reversed: bool = False) -> list[StoredGame]:
    start = opening(("b1-b3",))
    records = [
        record(
            "ann~bob.1a",
            index=0,
            start=start,
            moves=("a2-c2", "c1xa3", "h2-f2"),
            cause=Cause.CONNECTION,
            infos=(b"info depth 2 score cp -31 pv a2c2", None, b"info score win 3"),
            started_at="2026-02-03T04:05:06+00:00" if is_reversed else "2026-01-02T03:04:05+00:00",
        ),
        record(
            "ann~bob.1b",
            black="bob",
            white="ann",
            index=1,
            leg="b",
            start=start,
            moves=(),
            cause=Cause.MAX_PLIES,
            winner=None,
            rules=RuleSet(SimultaneousRule.MOVER, NoMovesRule.LOSS, 0, None),
        ),
    ]
    with Store.create_or_open(folder) as store:
        for one in reversed(records) if is_reversed else records:
            store.add([one])
        return list(store.games(details=True))


def test_jsonl_is_these_bytes(tmp_path: Path) -> None:
    assert "".join(jsonl(_games(tmp_path))) == GOLDEN


def test_jsonl_does_not_depend_on_when_and_in_which_order_games_ended(tmp_path: Path) -> None:
    first = list(jsonl(_games(tmp_path / "a")))
    assert list(jsonl(_games(tmp_path / "b", is_reversed=True))) == first


def test_times_add_what_another_run_has_otherwise(tmp_path: Path) -> None:
    plain, timed = (
        [json.loads(line) for line in jsonl(_games(tmp_path), times=times)]
        for times in (False, True)
    )
    assert plain[0].items() <= timed[0].items()
    assert timed[0]["elapsed-ns"] == [1_000_000, 2_000_000, 3_000_000]
    assert timed[0]["scores"] == ["cp -31", None, "win 3"]
    assert timed[0]["opening-plies"] == 1
    assert timed[0]["provenance"] == {"slot": 0, "attempt": 1}
    assert timed[0]["black-bot"] == {
        "announced": "Ann 1",
        "identity": "1" * 64,
        "time-control": "5+0.05",
    }
    assert timed[1]["elapsed-ns"] == []


def test_csv_has_one_line_a_game(tmp_path: Path) -> None:
    text = "".join(csv_lines(_games(tmp_path)))
    assert "\r" not in text
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["id"] for row in rows] == ["ann~bob.1a", "ann~bob.1b"]
    assert rows[0]["moves"] == "b1-b3 a2-c2 c1xa3 h2-f2"
    assert [row["winner"] for row in rows] == ["black", "draw"]
    timed = list(csv.DictReader("".join(csv_lines(_games(tmp_path), times=True)).splitlines()))
    assert rows[0].items() <= timed[0].items()
    assert timed[0]["duration_ns"] == "1500000000"


def test_sgf_can_be_read_again(tmp_path: Path) -> None:
    games = _games(tmp_path)
    text = "".join(sgf_lines(games))
    first, second = read_sgf(text)
    assert (first.black, first.white, first.result) == ("ann", "bob", "B+")
    assert len(first.moves) == 4
    assert "simultaneous=draw" in first.rules
    assert (second.black, second.result, len(second.moves)) == ("bob", "Draw", 1)
    assert "simultaneous=mover" in second.rules
    assert first.notices == ()


def test_sgf_results_name_the_fault(tmp_path: Path) -> None:
    causes = [
        (Cause.RESIGNATION, Color.WHITE, "W+R"),
        (Cause.TIME, Color.BLACK, "B+T"),
        (Cause.CRASH, Color.WHITE, "W+F"),
        (Cause.ILLEGAL_MOVE, Color.BLACK, "B+F"),
        (Cause.SCORE_RESIGN, Color.BLACK, "B+"),
        (Cause.AGREEMENT, None, "Draw"),
    ]
    with Store.create_or_open(tmp_path) as store:
        store.add(
            [
                record(f"g{number}", index=number, cause=cause, winner=winner)
                for number, (cause, winner, _) in enumerate(causes)
            ]
        )
        read = read_sgf("".join(sgf_lines(store.games())))
    assert [game.result for game in read] == [result for _, _, result in causes]
    assert [game.resigned for game in read] == [Color.BLACK, None, None, None, None, None]


def test_a_score_is_what_the_bot_said() -> None:
    assert score_of_info("info depth 1 score cp -5 nodes 3") == "cp -5"
    assert score_of_info("info score win 007") == "win 7"
    assert score_of_info("info string underscore cp") is None
    assert score_of_info("info score cp x") is None
    assert score_of_info(None) is None
