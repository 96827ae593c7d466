from __future__ import annotations

import dataclasses
import re
from itertools import pairwise

import pytest

from harness.ratings.analysis import Analysis, analyse
from harness.ratings.table import RatingOptions
from harness.report.markdown import Picture, markdown, report_sheets
from harness.report.sheet import as_text
from harness.report.standings_table import COLUMNS
from tests.unit.ratings.oracle import games
from tests.unit.report.builders import HOSTILE, analysed, played


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analysed(played(["ann", "bob", "cy"]))


def _headings(text: str) -> list[str]:
    return [line[3:] for line in text.splitlines() if line.startswith("## ")]


def test_everything_is_in_it_in_the_order_of_reading(analysis: Analysis) -> None:
    text = markdown(analysis, title="my_cup", pictures=[Picture("elo.png", "Elo & more")])
    assert text.splitlines()[0] == r"# my\_cup"
    assert _headings(text) == [
        "Standings",
        "Cross table: won-drawn-lost of the bot in the row",
        "Moving first: won-drawn-lost of the bot in the row",
        "Likelihood of superiority: % that the bot in the row is better",
        "Diagnostics",
        "Endings by bot",
        "Thinking time",
        r"Elo \& more",
    ]
    assert text.endswith("![Elo \\& more](elo.png)\n")
    assert "| 1 | ann |" in text
    assert "- 144 games, no two alike." in text


def test_two_bots_have_a_match() -> None:
    text = markdown(analysed(played(["ann", "bob"])))
    assert _headings(text)[1] == "Match: ann against bob"
    assert "| pairs 0-1/2-1-3/2-2 |" in text
    assert not text.startswith("# ")


def test_every_pool_has_its_tables() -> None:
    text = markdown(analyse(games("ab11", "ba11", "cd11", "dc11", names="abcd")))
    headings = _headings(text)
    assert headings[:4] == [
        "Table 1 of 2",
        "Table 2 of 2",
        "Match: a against b",
        "Match: c against d",
    ]
    assert headings[-2:] == ["Diagnostics of pool 1", "Diagnostics of pool 2"]


def test_all_columns_that_say_something_are_shown(analysis: Analysis) -> None:
    header = next(line for line in markdown(analysis).splitlines() if line.startswith("| \\#"))
    shown = [cell.strip().replace("\\", "") for cell in header.strip("|").split("|")]
    assert shown == [column.heading for key, column in COLUMNS.items() if key != "bootstrap-error"]
    refitted = analyse(played(["ann", "bob", "cy"]), options=RatingOptions(refits=5))
    assert "| boot |" in markdown(refitted)


def test_columns_and_their_order_may_be_chosen(analysis: Analysis) -> None:
    text = markdown(analysis, columns=["bot", "games"], sort="bot")
    assert "\n| bot | games |\n| :--- | ---: |\n| ann | 96 |\n" in text


def test_names_are_whole_and_escaped() -> None:
    text = markdown(analysed(played(HOSTILE, 3)), title="\x1b[31m|_x_")
    assert text.startswith("# \\\\x1b\\[31m\\|\\_x\\_\n")
    assert f"| {'a' * 64} |" in text
    assert r"| b\|c |" in text
    assert r"| \[red\]d\[/red\] |" in text
    assert r"| \$f\_\{1\}\$ |" in text
    assert r"| e\\x1b\[31m\\n\\u202e |" in text
    assert "\x1b" not in text
    assert text.isascii()
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines()]
    for above, below in pairwise(cells):
        assert above == below or not (above and below)  # rows of a table are alike


def test_no_games_are_said_in_words() -> None:
    assert markdown(analyse(games(names=""))) == "## Standings\n\n\nNo games.\n"
    assert "No games yet." in markdown(analyse(games(names="ab")))


def test_all_sheets_fit_the_page_when_asked_to(analysis: Analysis) -> None:
    long_names = tuple(f"{number}{'n' * 62}{number}" for number in range(6))
    renamed = analysed(played(long_names, 4))
    for one in (analysis, renamed):
        sheets = report_sheets(one, width=80)
        assert len(sheets) >= 7
        for sheet in sheets:
            assert max(map(len, as_text(sheet).splitlines())) <= 80


def test_without_endings_there_are_no_sheets_of_them(analysis: Analysis) -> None:
    bare = dataclasses.replace(analysis, endings=())
    assert _headings(markdown(bare))[-1] == "Diagnostics"
