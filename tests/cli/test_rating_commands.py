from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.play.types import Cause
from harness.rules.types import Color
from harness.store.sqlite import Store
from tests.cli.loa import Loa
from tests.unit.store.builders import record

PROJECT = Path(__file__).parents[2]
IDENTITIES = {"ann": "1" * 64, "bob": "2" * 64, "cy": "3" * 64}


def _store(
    folder: Path,
    results: Mapping[tuple[str, str], str],
    identities: Mapping[str, str] = IDENTITIES,
) -> None:
    """Store games, Black's name first; of the results b is Black's win, w White's, d a draw."""
    with Store.create_or_open(folder) as store:
        store.begin(folder.name, "", {}, identities, {name: {} for name in identities})
        winners = {"b": Color.BLACK, "w": Color.WHITE, "d": None}
        records = [
            record(
                f"{black}~{white}.{number}a",
                black=black,
                white=white,
                winner=winners[result],
                cause=Cause.CONNECTION if winners[result] else Cause.REPETITION,
                identities=(identities[black], identities[white]),
            )
            for (black, white), text in results.items()
            for number, result in enumerate(text, 1)
        ]
        store.add(records)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "results"
    _store(folder / "cup", {("ann", "bob"): "bbbbdw", ("bob", "ann"): "wwbw"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOA_RESULTS", raising=False)
    return folder


def test_standings_show_elo_and_cross_table(results: Path, loa: Loa) -> None:
    ended = loa("standings", "cup")
    assert (ended.code, ended.errors) == (0, "")
    rows = [line.split() for line in ended.output.splitlines()]
    standing = next(row for row in rows if row[:2] == ["1", "ann"])
    assert standing[4:8] == ["10", "7", "1", "2"]
    assert ["1", "ann", "7.5", "10", "x", "7-1-2"] in rows
    assert ["2", "bob", "2.5", "10", "2-1-7", "x"] in rows
    assert ["3", "cy", "?", "0", "0", "0", "0", "0"] not in rows
    assert "without games: cy" in ended.output


def test_several_tournaments_are_rated_together(results: Path, loa: Loa) -> None:
    _store(results / "next", {("bob", "cy"): "bbw", ("cy", "bob"): "w"})
    document = json.loads(loa("standings", "cup", "next", "--json").output)
    assert document["tournaments"] == ["cup", "next"]
    (table,) = document["tables"]
    games = {row["name"]: row["games"] for row in table["rows"]}
    assert games == {"ann": 10, "bob": 14, "cy": 4}
    assert table["notices"] == []


def test_the_same_tournament_twice_counts_once(results: Path, loa: Loa) -> None:
    document = json.loads(loa("standings", "cup", "results/cup", "--json").output)
    assert document["tables"][0]["games"] == 10


def test_a_name_with_another_identity_is_kept_apart_and_said(results: Path, loa: Loa) -> None:
    changed = IDENTITIES | {"ann": "9" * 64}
    _store(results / "next", {("ann", "bob"): "bbw", ("bob", "ann"): "bw"}, changed)
    document = json.loads(loa("standings", "cup", "next", "--json").output)
    rows = document["tables"][0]["rows"]
    games = {row["name"]: row["games"] for row in rows if row["games"]}
    assert games == {"ann#11111111": 10, "ann#99999999": 5, "bob": 15}
    assert any("ann is not the same program" in text for text in document["tables"][0]["notices"])


def test_csv_and_markdown(results: Path, loa: Loa) -> None:
    records = list(csv.DictReader(io.StringIO(loa("standings", "cup", "--csv").output)))
    assert [record["name"] for record in records] == ["ann", "bob", "cy"]
    assert "| 1 | ann |" in loa("standings", "cup", "--markdown").output


def test_an_anchor_sets_a_rating(results: Path, loa: Loa) -> None:
    document = json.loads(loa("standings", "cup", "--json", "--anchor", "bob=1500").output)
    rows = {row["name"]: row for row in document["tables"][0]["rows"]}
    assert rows["bob"]["elo"] == 1500
    assert rows["bob"]["error"] is None
    assert rows["ann"]["elo"] > 1500


@pytest.mark.parametrize("anchor", ["bob", "bob=", "=3", "bob=nan", "bob=inf", "bob=x", "zoe=0"])
def test_a_bad_anchor_is_refused(results: Path, loa: Loa, anchor: str) -> None:
    ended = loa("standings", "cup", "--anchor", anchor)
    assert ended.code == 2
    assert ended.output == ""
    assert "Traceback" not in ended.errors
    assert anchor.split("=", maxsplit=1)[0] in ended.errors


def test_a_tournament_without_games_is_no_error(results: Path, loa: Loa) -> None:
    _store(results / "fresh", {})
    ended = loa("standings", "fresh")
    assert ended.code == 0
    assert "No games yet." in ended.output
    assert loa("report", "fresh").code == 0


@pytest.mark.parametrize("command", ["standings", "report"])
def test_a_tournament_that_is_not_there_is_said(results: Path, loa: Loa, command: str) -> None:
    ended = loa(command, "nothing")
    assert ended.code == 2
    assert "no tournament is stored" in ended.errors


def test_a_report_is_written_beside_the_games(results: Path, loa: Loa) -> None:
    ended = loa("report", "cup")
    paths = [Path(line) for line in ended.output.splitlines()]
    assert {path.name for path in paths} == {
        "standings.csv",
        "crosstable.csv",
        "standings.md",
        "elo.png",
        "elo.svg",
    }
    assert all(path.is_file() and path.parent == Path("results/cup/report") for path in paths)


def test_a_report_goes_where_it_is_told(results: Path, loa: Loa, tmp_path: Path) -> None:
    ended = loa("report", "cup", "--output", str(tmp_path / "out"))
    assert ended.code == 0
    assert (tmp_path / "out" / "elo.svg").is_file()
    assert not (results / "cup" / "report").exists()


@pytest.mark.process
def test_the_plain_table_imports_nothing_heavy(results: Path) -> None:
    code = (
        "import sys; from harness.cli.main import cli; "
        "cli.main(['standings', 'cup', '--results', sys.argv[1]], standalone_mode=False); "
        "heavy = {'pandas', 'matplotlib', 'scipy', 'rich'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(results)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
