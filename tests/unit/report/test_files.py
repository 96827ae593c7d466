from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.errors import OutputError
from harness.ratings.analysis import Analysis
from harness.ratings.history import rating_history
from harness.ratings.observations import LengthCount, RatingHistory, thinking_times
from harness.ratings.results import GameResults
from harness.report.files import ReportMaterial, write_report
from harness.report.markdown import markdown
from tests.unit.ratings.oracle import games
from tests.unit.report.builders import HOSTILE, analysed, played

TABLES = {"report.md", "standings.csv", "crosstable.csv", "los.csv", "endings.csv"}
PLOTS = ("elo", "scores", "history", "lengths", "endings", "thinking", "first-move")


def _pictures(*names: str) -> set[str]:
    return {f"{name}.{kind}" for name in names for kind in ("png", "svg")}


def _histories(results: GameResults, analysis: Analysis) -> list[RatingHistory | None]:
    if len(analysis.pools) != 1 or len(analysis.tables[0].rated) < 2:
        return [None] * len(analysis.pools)
    return [rating_history(results, analysis.tables[0])]


def material(results: GameResults, analysis: Analysis | None = None) -> ReportMaterial:
    analysis = analysed(results) if analysis is None else analysis
    names = [row.name for table in analysis.tables for row in table.rows if row.games]
    samples = [(name, [10**6 * place for place in range(1, 9)]) for name in names for _ in "12"]
    lengths = (LengthCount(30, False, 7), LengthCount(41, True, 2)) if results.total else ()
    return ReportMaterial(
        analysis,
        lengths,
        thinking_times(samples, len(names), results.total),
        tuple(_histories(results, analysis)),
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "new" / "report"
    write_report(folder, material(played("abc")), title="my_cup")
    return folder


def test_all_tables_and_seven_plots_are_written(written: Path) -> None:
    assert {path.name for path in written.iterdir()} == TABLES | _pictures(*PLOTS)


def test_the_paths_are_told_in_order_and_the_same_again_makes_the_same_bytes(
    written: Path,
) -> None:
    before = {path.name: path.read_bytes() for path in written.iterdir()}
    paths = write_report(written, material(played("abc")), title="my_cup")
    assert [path.name for path in paths[-5:]] == [
        "standings.csv", "crosstable.csv", "los.csv", "endings.csv", "report.md",
    ]  # fmt: skip
    assert [path.name for path in paths[:-5]] == [
        f"{name}.{kind}" for name in PLOTS for kind in ("png", "svg")
    ]
    assert all(path.parent == written for path in paths)
    assert {path.name: path.read_bytes() for path in written.iterdir()} == before


def test_pictures_are_pictures(written: Path) -> None:
    for name in PLOTS:
        assert (written / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        svg = (written / f"{name}.svg").read_text()
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert not re.search(r"20\d\d-\d\d-\d\d", svg)  # the day would make other bytes


def test_the_document_shows_every_plot_and_is_that_of_the_analysis(written: Path) -> None:
    text = (written / "report.md").read_text()
    assert text.startswith("# my\\_cup\n")
    assert re.findall(r"\]\((.*?)\)", text) == [f"{name}.png" for name in PLOTS]
    assert text.startswith(markdown(analysed(played("abc")), title="my_cup"))


def test_every_pool_has_its_own_plots(tmp_path: Path) -> None:
    texts = [f"{pair}{result}{opening}" for pair in ("ab", "ba", "cd", "dc")
             for result, opening in (("1", "1"), ("0", "2"), ("1", "3"))]  # fmt: skip
    results = games(*texts, names="abcd")
    analysis = analysed(results)
    paths = write_report(tmp_path, material(results, analysis))
    several = _pictures("scores", "scores-2", "first-move", "first-move-2")
    assert {path.name for path in paths} == TABLES | several | _pictures(
        "elo", "lengths", "endings", "thinking"
    )


def test_no_games_still_make_a_report(tmp_path: Path) -> None:
    for number, names in enumerate(("", "ab")):
        folder = tmp_path / str(number)
        results = games(names=names)
        paths = write_report(folder, material(results))
        assert {path.name for path in paths} == TABLES | _pictures(
            "elo", "lengths", "endings", "thinking"
        )
        assert "No games" in (folder / "report.md").read_text()


@pytest.mark.parametrize("texts", [["ab11"], ["ab=1", "ba=1"], ["ab11", "ba01"]])
def test_hardly_any_games_still_make_a_report(tmp_path: Path, texts: list[str]) -> None:
    results = games(*texts)
    paths = write_report(tmp_path, material(results))
    assert TABLES | _pictures("elo", "scores", "endings") <= {path.name for path in paths}


def test_hostile_names_and_titles_break_nothing(tmp_path: Path) -> None:
    results = dataclasses.replace(
        games("ab11", "ba11", "bc11", "cb12", "ca12", "de02", "ed12", "eg=3", names="abcdefg"),
        names=tuple(sorted(HOSTILE)),
    )
    paths = write_report(tmp_path, material(results), title="$\\frac{$ \x1b[31m\n|_x_" * 9)
    assert _pictures("elo", "scores", "endings", "thinking") <= {path.name for path in paths}
    for path in paths:
        if path.suffix == ".svg":
            ElementTree.fromstring(path.read_text())
    assert "\x1b" not in (tmp_path / "report.md").read_text()


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("old" * 10**5)
    (tmp_path / "mine.txt").write_text("kept")
    write_report(tmp_path, material(games("ab11")))
    assert "old" not in (tmp_path / "report.md").read_text()
    assert (tmp_path / "mine.txt").read_text() == "kept"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "report"):
        with pytest.raises(OutputError, match="cannot be written to") as raised:
            write_report(folder, material(games("ab11")))
        assert raised.value.exit_code == 1
        assert str(folder) in str(raised.value)


def test_a_file_that_cannot_be_replaced_is_said(tmp_path: Path) -> None:
    (tmp_path / "standings.csv").mkdir()
    with pytest.raises(OutputError, match=r"Is a directory"):
        write_report(tmp_path, material(games("ab11")))
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="Permission denied"):
            write_report(tmp_path, material(games("ab11")))
    finally:
        tmp_path.chmod(0o700)
