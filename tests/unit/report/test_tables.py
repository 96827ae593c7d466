from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from harness.ratings.counts import PairingCount
from harness.report.sheet import Column, Sheet, as_markdown, as_rich, as_text, plain_name
from harness.report.tables import (
    cross_sheets,
    cross_text,
    markdown,
    standings_renderable,
    standings_text,
)
from tests.unit.report.builders import rated, rows

HOSTILE = ["a" * 64, "+cmd", "-x", "b|c", "[red]d[/red]", "e\x1b[31m\n\u202e", "$f_{1}$"]


def _on_terminal(renderable: object, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=True, no_color=True).print(renderable)
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


def test_standings_are_aligned_plain_text() -> None:
    tables, _ = rated([PairingCount("ann", "bob", 3, 1, 1), PairingCount("bob", "ann", 1, 0, 3)])
    lines = standings_text(tables).splitlines()
    row = tables[0].rows[0]
    assert lines[0] == "Standings"
    headings = "# bot Elo +/- games won drawn lost score LOS met"
    assert " ".join(lines[1].split()) == headings
    assert lines[2].split() == [
        "1",
        "ann",
        row.elo_text,
        row.error_text,
        "9",
        "6",
        "1",
        "2",
        "72.2%",
        f"{100 * (row.los_next or 0):.1f}%",
        "1",
    ]
    assert len(lines[1]) == len(lines[2])
    assert "Davidson" in " ".join(lines[4:])
    assert "9 games" in " ".join(lines[4:])


@pytest.mark.parametrize("bots", [1, 2, 5, 9, 40])
def test_everything_fits_eighty_columns(bots: int) -> None:
    names = [f"quite-a-long-name-for-a-bot-{number:03}" for number in range(bots)]
    tables, cross = rated(rows(names), idle=names)
    for text in (standings_text(tables), cross_text(cross)):
        assert max(map(len, text.splitlines())) <= 80
        assert text.isascii()


def test_many_bots_are_spread_over_blocks_that_hold_every_cell() -> None:
    names = [f"bot{number}" for number in range(40)]
    _, cross = rated(rows(names))
    sheets = cross_sheets(cross)
    assert len(sheets) > 1
    headings = [column.heading for sheet in sheets for column in sheet.columns[2:]]
    assert headings == [str(number) for number in range(1, 41)]
    assert all(len(sheet.rows) == 40 for sheet in sheets)
    for row, name in enumerate(cross.names):
        cells = [cell for sheet in sheets for cell in sheet.rows[row][2:]]
        expected = [
            "x" if name == opponent else f"{cross.score(name, opponent).points:g}"
            for opponent in cross.names
        ]
        assert cells == expected


def test_few_bots_show_won_drawn_lost() -> None:
    _, cross = rated([PairingCount("ann", "bob", 3, 1, 1), PairingCount("cy", "bob", 2, 0, 1)])
    (sheet,) = cross_sheets(cross)
    cells = {row[1]: row[2:] for row in sheet.rows}
    place = cross.names.index("bob")
    assert cells["ann"][:2] == ("3.5", "5")
    assert cells["ann"][2 + place] == "3-1-1"
    assert cells["bob"][2 + cross.names.index("ann")] == "1-1-3"
    assert cells["ann"][2 + cross.names.index("cy")] == "."
    assert cells["bob"][2 + place] == "x"


def test_tables_are_numbered_when_there_are_several() -> None:
    tables, _ = rated([PairingCount("a", "b", 1, 0, 1), PairingCount("c", "d", 1, 0, 1)])
    text = standings_text(tables)
    assert "Table 1 of 2" in text
    assert "Table 2 of 2" in text


def test_hostile_names_steer_nothing() -> None:
    tables, cross = rated(rows(HOSTILE))
    plain = standings_text(tables) + cross_text(cross)
    shown = _on_terminal(standings_renderable(tables[0]))
    for text in (plain, shown):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert r"e\x1b[31m\n\u202e" in text
        assert "[red]d[/red]" in text


def test_a_narrow_terminal_shortens_names_and_keeps_numbers() -> None:
    tables, _ = rated(rows(["n" * 64, "m" * 64]))
    shown = _on_terminal(standings_renderable(tables[0]), width=76)
    assert max(map(len, shown.splitlines())) <= 76
    row = tables[0].rows[0]
    assert f"{100 * (row.score or 0):.1f}%" in shown
    assert row.error_text in shown


def test_no_games_are_said_in_words() -> None:
    tables, cross = rated([], idle=["a", "b"])
    assert "No games yet." in standings_text(tables)
    assert "No games yet." in markdown(tables, cross)


def test_names_lose_their_middle() -> None:
    assert plain_name("abcdefghij", 6) == "ab..ij"
    assert plain_name("abcdef", 6) == "abcdef"
    assert plain_name("caf\u00e9") == r"caf\xe9"


def test_markdown_escapes_its_own_signs() -> None:
    sheet = Sheet("T_1_", (Column("a|b", is_number=False), Column("n")), (("*x*`", "1"),), ("<b>",))
    assert as_markdown(sheet).splitlines() == [
        r"## T\_1\_",
        "",
        r"| a\|b | n |",
        "| :--- | ---: |",
        r"| \*x\*\` | 1 |",
        "",
        r"\<b\>",
    ]


def test_a_sheet_sets_numbers_right_and_breaks_its_notes() -> None:
    columns = Column("bot", is_number=False), Column("n")
    sheet = Sheet("", columns, (("x", "100"),), ("a b " * 15,))
    lines = as_text(sheet, 20).splitlines()
    assert lines[:2] == ["bot    n", "x    100"]
    assert all(len(line) <= 20 for line in lines)
    assert "100" in _on_terminal(as_rich(sheet))
