from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import InputError
from harness.report.files import write_report
from tests.unit.report.builders import rated, rows

NAMES = {"standings.csv", "crosstable.csv", "standings.md", "elo.png", "elo.svg"}


def test_all_files_are_written_whole_and_the_same_again(tmp_path: Path) -> None:
    tables, cross = rated(rows(["a", "b", "c"]))
    folder = tmp_path / "new" / "report"
    paths = write_report(folder, tables, cross, title="my_cup")
    assert {path.name for path in paths} == NAMES
    assert {path.name for path in folder.iterdir()} == NAMES
    before = {path.name: path.read_bytes() for path in paths}
    assert before["elo.png"].startswith(b"\x89PNG")
    assert b"<svg" in before["elo.svg"]
    assert before["standings.md"].startswith(b"# my\\_cup\n")
    write_report(folder, tables, cross, title="my_cup")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_no_games_still_make_a_report(tmp_path: Path) -> None:
    paths = write_report(tmp_path, *rated([]))
    assert {path.name for path in paths} == NAMES


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_report(tmp_path / "file" / "report", *rated(rows(["a", "b"])))
