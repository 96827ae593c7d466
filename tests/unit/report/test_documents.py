from __future__ import annotations

import csv
import io
import json
from typing import NoReturn

from harness.ratings.counts import PairingCount
from harness.report.documents import cross_csv, json_text, standings_csv
from tests.unit.report.builders import rated, rows

ROWS = [
    PairingCount("+a", "b", 5, 1, 5),
    PairingCount("b", "+a", 5, 1, 4),
    PairingCount("b", "-m", 9, 0, 0),
]


def _records(text: str) -> dict[str, dict[str, str]]:
    return {record["name"]: record for record in csv.DictReader(io.StringIO(text))}


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


def test_names_that_look_like_formulas_are_made_inert() -> None:
    tables, cross = rated(rows(["=1+1", "+a", "-b", "@c", "\td", "ok"]))
    for text, columns in (
        (standings_csv(tables), ["name"]),
        (cross_csv(cross), ["bot", "opponent"]),
    ):
        for record in csv.DictReader(io.StringIO(text)):
            for column in columns:
                assert record[column][0] in "'o"


def test_negative_numbers_stay_numbers() -> None:
    tables, _ = rated(rows(["a", "b"]))
    assert min(float(record["elo"]) for record in _records(standings_csv(tables)).values()) < 0


def test_json_has_no_nan_and_holds_both_tables() -> None:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(constant)

    tables, cross = rated(ROWS, idle=["z"])
    document = json.loads(json_text(["one", "two"], tables, cross), parse_constant=refuse)
    assert document["tournaments"] == ["one", "two"]
    (table,) = document["tables"]
    by_name = {row["name"]: row for row in table["rows"]}
    assert by_name["-m"]["elo"] is None
    assert by_name["-m"]["bound"] == "below"
    assert by_name["-m"]["high"] == tables[0].rows[2].elo
    assert by_name["z"]["score"] is None
    assert table["first_move"]["elo"] == tables[0].first_move.elo  # type: ignore[union-attr]
    scores = {(row["bot"], row["opponent"]): row for row in document["cross_table"]}
    assert scores["+a", "b"]["points"] == 10.0
    assert scores["+a", "b"]["wins_first"] == 5


def test_no_games_make_empty_documents() -> None:
    tables, cross = rated([])
    assert json.loads(json_text([], tables, cross))["tables"] == []
    assert standings_csv(tables).strip() == ""
    assert len(cross_csv(cross).splitlines()) == 1
