from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import re
from typing import Any, NoReturn

import pytest

from harness.ratings.analysis import analyse
from harness.ratings.counts import PairingCount
from harness.ratings.davidson import Model
from harness.ratings.table import RatingOptions, rate_games
from harness.report.documents import (
    cross_csv,
    endings_csv,
    json_text,
    los_csv,
    standings_csv,
)
from tests.unit.ratings.oracle import games
from tests.unit.report.builders import analysed, endings, played, rated, rows

ROWS = [
    PairingCount("+a", "b", 5, 1, 5),
    PairingCount("b", "+a", 5, 1, 4),
    PairingCount("b", "-m", 9, 0, 0),
]


def _read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _records(text: str) -> dict[str, dict[str, str]]:
    return {record["name"]: record for record in _read(text)}


def _document(text: str) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(constant)

    found: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return found


def test_csv_says_bounds_as_intervals_and_leaves_elo_empty() -> None:
    tables, _ = rated(ROWS, idle=["z"])
    records = _records(standings_csv(tables))
    assert records["'-m"]["elo"] == ""
    assert records["'-m"]["low"] == ""
    assert float(records["'-m"]["high"]) == tables[0].rows[2].elo
    assert records["'-m"]["bound"] == "below"
    assert float(records["b"]["elo"]) == next(r.elo for r in tables[0].rows if r.name == "b")
    assert records["z"]["rank"] == ""
    assert {record["table"] for record in records.values()} == {"1"}


def test_csv_has_the_columns_asked_for() -> None:
    tables, _ = rated(ROWS)
    text = standings_csv(tables, ["name", "games"])
    assert text.splitlines() == ["table,name,games", "1,b,30", "1,'+a,21", "1,'-m,9"]


def test_csv_numbers_the_tables() -> None:
    tables, _ = rate_games(games("ab11", "ba11", "cd11", "dc11", names="abcd"))
    assert [(one["table"], one["name"]) for one in _read(standings_csv(tables))] == [
        ("1", "a"),
        ("1", "b"),
        ("2", "c"),
        ("2", "d"),
    ]


def test_names_that_look_like_formulas_are_made_inert() -> None:
    names = ["=1+1", "+a", "-b", "@c", "\td", "ok"]  # the tab becomes an escape
    analysis = analysed(played(names, 20))
    for text, columns in (
        (standings_csv(analysis.tables), ["name"]),
        (cross_csv(analysis.cross), ["bot", "opponent"]),
        (los_csv(analysis.tables), ["bot", "opponent"]),
        (endings_csv(analysis.endings), ["first", "second", "winner"]),
    ):
        records = _read(text)
        assert records
        for record in records:
            for column in columns:
                assert record[column] == "" or record[column][0] in "'\\o"


def test_negative_numbers_stay_numbers() -> None:
    tables, _ = rated(rows(["a", "b"]))
    assert min(float(record["elo"]) for record in _records(standings_csv(tables)).values()) < 0


def test_superiority_is_one_row_for_every_two_rated_bots() -> None:
    tables, _ = rated(ROWS)
    records = _read(los_csv(tables))
    assert [(one["bot"], one["opponent"]) for one in records] == [("b", "'+a"), ("'+a", "b")]
    assert float(records[0]["los"]) == pytest.approx(tables[0].los[0, 1], abs=1e-6)
    assert sum(float(one["los"]) for one in records) == pytest.approx(1, abs=1e-6)
    assert {one["differ"] for one in records} == {"False"}


def test_endings_are_one_row_for_a_cause_and_a_winner() -> None:
    found = endings(games("ab11", "ab=2", "ab13"))
    records = _read(endings_csv(found))
    assert [(one["cause"], one["winner"], one["games"]) for one in records] == [
        ("connection", "a", "2"),
        ("repetition", "", "1"),
    ]
    assert records[0]["first_time_ns"] == "2000000000"


def test_json_has_no_nan_and_holds_both_tables() -> None:
    results = games("ab11", "ba11", "ab=2", "ba02", "bm13", "mb03", names="abmz")
    analysis = analyse(results, endings(results))
    document = _document(json_text(["one", "two"], analysis))
    assert list(document) == ["tournaments", "tables", "pools", "cross_table", "endings"]
    assert document["tournaments"] == ["one", "two"]
    (table,) = document["tables"]
    row_of = {row.name: row for row in analysis.tables[0].rows}
    by_name = {row["name"]: row for row in table["rows"]}
    assert by_name["m"]["elo"] is None
    assert by_name["m"]["bound"] == "below"
    assert by_name["m"]["high"] == row_of["m"].elo
    assert by_name["a"]["best"] == row_of["a"].best
    assert by_name["a"]["rank_low"] == 1
    assert by_name["z"]["score"] is None
    assert table["first_move"]["elo"] == analysis.tables[0].first_move.elo  # type: ignore[union-attr]
    assert table["independent_unit"] == "game"
    assert table["rated"] == ["a", "b"]
    assert table["differ"] == [[False, False], [False, False]]
    assert sum(table["los"][0]) == pytest.approx(0.5 + (row_of["a"].los_next or 0))
    scores = {(row["bot"], row["opponent"]): row for row in document["cross_table"]}
    assert scores["a", "b"]["points"] == 2.5
    assert scores["a", "b"]["wins_first"] == 1
    assert document["endings"][0]["cause"] == "connection"
    (pool,) = document["pools"]
    assert pool["bots"] == ["a", "b", "m"]
    assert pool["match"] is None
    found = pool["diagnostics"]
    assert (found["games"], found["distinct_games"], found["replayed_games"]) == (6, 6, 0)
    assert found["transitivity"] is None
    assert found["unplayed"] == [["a", "m"]]
    assert [one["opening"] for one in found["openings"]] == ["1", "2", "3"]
    assert found["openings"][0] == {
        "opening": "1",
        "games": 2,
        "first_mover_score": 1.0,
        "expected": pytest.approx(0.5, abs=0.3),
    }


def test_json_of_a_match_and_of_a_cycle() -> None:
    document = _document(json_text(["x"], analysed(played("ab", 20))))
    (pool,) = document["pools"]
    match = pool["match"]
    assert (match["bot"], match["opponent"]) == ("a", "b")
    assert sum(match["pentanomial"]) == match["openings"] == 20
    assert set(match["games"]) == {"wins", "draws", "losses"}
    assert match["estimate"]["interval"] == "normal"
    document = _document(json_text(["x"], analysed(played("abc", 20, lead=0.05))))
    (pool,) = document["pools"]
    assert pool["diagnostics"]["transitivity"]["degrees"] == 1
    assert document["tables"][0]["independent_unit"] == "opening"
    for effort in pool["efforts"]:
        assert set(effort) == {"bot", "next_bot", "pairs"}


@pytest.mark.parametrize("model", Model)
@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["ab11"],
        ["ab=1"],
        ["ab11", "ba01"],
        ["ab11", "ba11"],
        ["ab11", "cb11", "cd=2", "ef12"],
        [f"{pair}1{opening}" for pair in ("ab", "ba") for opening in range(6)],
    ],
)
def test_nothing_degenerate_is_nan(texts: list[str], model: Model) -> None:
    results = games(*texts, names="abcdefg")
    for refits in (0, 3):
        analysis = analyse(results, endings(results), RatingOptions(model=model, refits=refits))
        _document(json_text([], analysis))
        for text in (
            standings_csv(analysis.tables),
            cross_csv(analysis.cross),
            los_csv(analysis.tables),
            endings_csv(analysis.endings),
        ):
            assert not re.search(r"\b(nan|inf)\b", text, re.IGNORECASE)


def test_a_number_that_is_none_is_refused_rather_than_written() -> None:
    analysis = analyse(played("ab", 2))
    wrong = dataclasses.replace(analysis.tables[0], draw_rate=math.nan)
    with pytest.raises(ValueError, match="JSON"):
        json_text([], dataclasses.replace(analysis, tables=(wrong,)))


def test_no_games_make_empty_documents() -> None:
    analysis = analyse(games(names=""))
    assert _document(json_text([], analysis))["tables"] == []
    for text in (
        standings_csv(analysis.tables),
        cross_csv(analysis.cross),
        los_csv(analysis.tables),
        endings_csv(analysis.endings),
    ):
        assert len(text.splitlines()) == 1  # the headings
    full = standings_csv(rated(ROWS)[0])
    assert standings_csv(()).splitlines() == full.splitlines()[:1]
