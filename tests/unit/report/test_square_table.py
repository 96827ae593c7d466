from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from harness.ratings.counts import PairingCount
from harness.ratings.crosstable import cross_table
from harness.ratings.table import rate, rate_games
from harness.ratings.types import RatingTable
from harness.report.sheet import Sheet, as_text
from harness.report.square_table import (
    cross_sheets,
    cross_text,
    los_sheets,
    side_sheets,
)
from tests.unit.report.builders import HOSTILE, played, rated, rows

ROWS = [PairingCount("ann", "bob", 3, 1, 1), PairingCount("cy", "bob", 2, 0, 1)]


def _los_table(los: list[list[float]], differ: list[list[bool]]) -> RatingTable:
    names = tuple("abcdefgh"[: len(los)])
    (table,), _ = rated([PairingCount("a", "b", 1, 0, 1)])
    return dataclasses.replace(
        table, rated=names, los=np.array(los), differ=np.array(differ, dtype=np.bool_)
    )


def _joined(sheets: list[Sheet], ahead: int = 2) -> list[list[str]]:
    """The cells of all blocks, put together."""
    bots = len(sheets[0].rows)
    return [[cell for sheet in sheets for cell in sheet.rows[bot][ahead:]] for bot in range(bots)]


@pytest.mark.parametrize("bots", [1, 2, 5, 9, 40])
def test_everything_fits_eighty_columns(bots: int) -> None:
    names = [f"quite-a-long-name-for-a-bot-{number:03}" for number in range(bots)]
    tables, cross = rated(rows(names), idle=names)
    sheets = [*cross_sheets(cross), *side_sheets(cross), *los_sheets(tables[0], 80)]
    for text in (cross_text(cross), *map(as_text, sheets)):
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
    assert sheets[0].title.startswith("Cross table: points of the bot in the row, against 1 to ")
    assert sheets[-1].title.endswith(" to 40")
    for name, cells in zip(cross.names, _joined(sheets), strict=True):
        expected = [
            "x" if name == opponent else f"{cross.score(name, opponent).points:g}"
            for opponent in cross.names
        ]
        assert cells == expected


def test_few_bots_show_won_drawn_lost() -> None:
    _, cross = rated(ROWS)
    (sheet,) = cross_sheets(cross)
    cells = {row[1]: row[2:] for row in sheet.rows}
    place = cross.names.index("bob")
    assert cells["ann"][:2] == ("3.5", "5")
    assert cells["ann"][2 + place] == "3-1-1"
    assert cells["bob"][2 + cross.names.index("ann")] == "1-1-3"
    assert cells["ann"][2 + cross.names.index("cy")] == "."
    assert cells["bob"][2 + place] == "x"


def test_points_and_then_totals_give_way() -> None:
    _, cross = rated(rows([f"bot{number}" for number in range(6)]))
    titles = {}
    for width in (30, 45, 60, 200):
        sheet = cross_sheets(cross, width)[0]
        headings = [column.heading for column in sheet.columns]
        titles[width] = (sheet.title.split(": ")[1][:6], "points" in headings)
    assert titles == {
        30: ("points", False),
        45: ("points", False),
        60: ("points", True),
        200: ("won-dr", True),
    }


def test_names_are_shortened_but_never_gone() -> None:
    names = [f"{number}{'n' * 62}{number}" for number in range(5)]
    tables, cross = rated(rows(names))
    for sheet in (*cross_sheets(cross), *los_sheets(tables[0], 80)):
        for row in sheet.rows:
            assert row[1] in {f"{number}{'n' * 8}..{'n' * 8}{number}" for number in range(5)}
    (sheet,) = cross_sheets(cross, None)
    assert sorted(row[1] for row in sheet.rows) == names


def test_hostile_names_steer_nothing() -> None:
    tables, cross = rated(rows(HOSTILE))
    for sheet in (*cross_sheets(cross), *side_sheets(cross), *los_sheets(tables[0], 80)):
        text = as_text(sheet)
        assert text.isascii()
        assert text.replace("\n", "").isprintable()


def test_results_when_moving_first_are_of_those_games_alone() -> None:
    both = [*ROWS, PairingCount("bob", "ann", 0, 0, 7), PairingCount("bob", "cy", 4, 1, 0)]
    cross = cross_table(both, ["ann", "bob", "cy"])
    (sheet,) = side_sheets(cross)
    assert sheet.title == "Moving first: won-drawn-lost of the bot in the row"
    assert [column.heading for column in sheet.columns] == ["#", "bot", "1", "2", "3"]
    assert [row[1:] for row in sheet.rows] == [
        ("ann", "x", "3-1-1", "."),
        ("bob", "0-0-7", "x", "4-1-0"),
        ("cy", ".", "2-0-1", "x"),
    ]


def test_one_colour_leaves_the_other_side_empty() -> None:
    (sheet,) = side_sheets(cross_table([PairingCount("a", "b", 2, 1, 0)], ["a", "b"]))
    assert [row[2:] for row in sheet.rows] == [("x", "2-1-0"), (".", "x")]


def test_no_games_make_no_cross_table() -> None:
    for width in (80, None):
        assert cross_sheets(cross_table([]), width) == []
        assert side_sheets(cross_table([]), width) == []
    assert cross_text(cross_table([])) == ""


def test_superiority_is_in_percent_with_marks_where_bots_differ() -> None:
    table = _los_table(
        [[0.5, 0.731, 1.0], [0.269, 0.5, 0.9963], [0.0, 0.0037, 0.5]],
        [[False, False, True], [False, False, True], [True, True, False]],
    )
    (sheet,) = los_sheets(table, 80)
    assert [row[1:] for row in sheet.rows] == [
        ("a", "x", "73.1", ">99.9*"),
        ("b", "26.9", "x", "99.6*"),
        ("c", "<0.1*", "0.4*", "x"),
    ]
    assert "Tukey" in " ".join(sheet.notes)


def test_superiorities_of_two_bots_add_up_and_marks_are_mutual() -> None:
    (table,), _ = rate_games(played("abcdef", 40))
    cells = _joined(los_sheets(table, 80))
    assert any(cell.endswith("*") for row in cells for cell in row)
    for one in range(6):
        assert cells[one][one] == "x"
        for other in range(one):
            texts = cells[one][other], cells[other][one]
            assert texts[0].endswith("*") == texts[1].endswith("*")
            if not any(text[0] in "<>" for text in texts):
                total = sum(float(text.rstrip("*")) for text in texts)
                assert total == pytest.approx(100, abs=0.11)


def test_superiority_of_many_bots_is_spread_over_blocks() -> None:
    (table,), _ = rate_games(played([f"bot{number:02}" for number in range(20)], 4))
    sheets = los_sheets(table, 80)
    assert len(sheets) > 1
    assert [len(row) for row in _joined(sheets)] == [20] * 20
    assert all("Tukey" in " ".join(sheet.notes) for sheet in sheets)


def test_bots_out_of_scale_have_no_superiority() -> None:
    (table,) = rate([PairingCount("a", "b", 5, 1, 5), PairingCount("b", "m", 9, 0, 0)])
    (sheet,) = los_sheets(table, 80)
    assert {row[1] for row in sheet.rows} == {"a", "b"}
    (alone,) = rate([PairingCount("a", "b", 5, 0, 0)])
    assert los_sheets(alone, 80) == []
    (idle,) = rate([], names=["a", "b"])
    assert los_sheets(idle, 80) == []


def test_all_draws_are_even() -> None:
    (table,) = rate([PairingCount("a", "b", 0, 5, 0)])
    (sheet,) = los_sheets(table, 80)
    assert [row[2:] for row in sheet.rows] == [("x", "50.0"), ("50.0", "x")]
