from __future__ import annotations

import dataclasses
import io
import re

import numpy as np
import pytest
from rich.console import Console

from harness.ratings.counts import PairingCount
from harness.ratings.table import RatingOptions, rate_games
from harness.ratings.types import Bound, RatingRow, RatingTable
from harness.report.sheet import Sheet, as_text
from harness.report.standings_table import (
    COLUMNS,
    DEFAULT_COLUMNS,
    sorted_rows,
    standings_renderable,
    standings_sheets,
    standings_text,
)
from tests.unit.report.builders import HOSTILE, played, rated, rows

FULL = RatingRow(
    rank=2,
    name="ann",
    elo=123.6,
    error=17.5,
    bound=Bound.EXACT,
    median=None,
    games=20,
    wins=12,
    draws=5,
    losses=3,
    score=0.725,
    los_next=0.9994,
    opponents=4,
    group="bc",
    best=0.0004,
    rank_low=1,
    rank_high=3,
    model_error=0.2,
    bootstrap_error=18.5,
)
UNKNOWN = RatingRow(None, "zoe", None, None, Bound.UNKNOWN, None, 0, 0, 0, 0, None, None, 0)
TEXTS = {
    "rank": "2",
    "bot": "ann",
    "elo": "124",
    "error": "18",
    "low": "106",
    "high": "141",
    "games": "20",
    "won": "12",
    "drawn": "5",
    "lost": "3",
    "score": "72.5%",
    "los": ">99.9%",
    "group": "bc",
    "met": "4",
    "best": "<0.1%",
    "ranks": "1-3",
    "model-error": "1",
    "bootstrap-error": "18",
}


def _table(*table_rows: RatingRow) -> RatingTable:
    (table,), _ = rated([PairingCount("a", "b", 2, 0, 1), PairingCount("b", "a", 2, 0, 1)])
    return dataclasses.replace(table, rows=table_rows)


def _on_terminal(table: RatingTable, width: int = 80) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, no_color=True)
    console.print(standings_renderable(table, width))
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


def _column(sheet: Sheet, heading: str) -> list[str]:
    place = [column.heading for column in sheet.columns].index(heading)
    return [row[place] for row in sheet.rows]


def test_standings_are_aligned_plain_text() -> None:
    tables, _ = rated([PairingCount("ann", "bob", 3, 1, 1), PairingCount("bob", "ann", 1, 0, 3)])
    lines = standings_text(tables).splitlines()
    row = tables[0].rows[0]
    assert lines[0] == "Standings"
    headings = "# bot Elo +/- games won drawn lost score LOS group"
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
        "a",
    ]
    assert lines[1].index("group") == lines[2].index("a", lines[2].index("%"))
    assert lines[1].index("score") + len("score") == lines[2].index("72.2%") + len("72.2%")
    assert "Davidson" in " ".join(lines[4:])
    assert "9 games" in " ".join(lines[4:])


@pytest.mark.parametrize("bots", [1, 2, 5, 9, 40])
def test_everything_fits_eighty_columns(bots: int) -> None:
    names = [f"quite-a-long-name-for-a-bot-{number:03}" for number in range(bots)]
    tables, _ = rated(rows(names), idle=names)
    text = standings_text(tables)
    assert max(map(len, text.splitlines())) <= 80
    assert text.isascii()


def test_tables_are_numbered_when_there_are_several() -> None:
    tables, _ = rated([PairingCount("a", "b", 1, 0, 1), PairingCount("c", "d", 1, 0, 1)])
    text = standings_text(tables)
    assert "Table 1 of 2" in text
    assert "Table 2 of 2" in text


def test_hostile_names_steer_nothing() -> None:
    tables, _ = rated(rows(HOSTILE))
    for text in (standings_text(tables), _on_terminal(tables[0])):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert r"e\x1b[31m\n\u202e" in text
        assert "[red]d[/red]" in text


def test_hostile_names_steer_nothing_in_sentences_either() -> None:
    tables, _ = rated([PairingCount("a", "b", 1, 0, 1)], idle=HOSTILE)
    text = standings_text(tables)
    assert text.isascii()
    assert text.replace("\n", "").isprintable()


def test_a_narrow_terminal_shortens_names_and_keeps_numbers() -> None:
    tables, _ = rated(rows(["n" * 64, "m" * 64]))
    shown = _on_terminal(tables[0], width=76)
    assert max(map(len, shown.splitlines())) <= 76
    row = tables[0].rows[0]
    assert f"{100 * (row.score or 0):.1f}%" in shown
    assert row.error_text in shown


def test_no_games_are_said_in_words() -> None:
    tables, _ = rated([], idle=["a", "b"])
    assert "No games yet." in standings_text(tables)
    assert standings_text([]) == ""


@pytest.mark.parametrize("width", [26, 30, 40, 50, 60, 66, 72, 80, 200])
@pytest.mark.parametrize("name_length", [5, 64])
def test_columns_give_way_before_names_are_lost(width: int, name_length: int) -> None:
    names = [f"{number}{'n' * (name_length - 2)}{number}" for number in range(1, 6)]
    tables, _ = rated(rows(names))
    (sheet,) = standings_sheets(tables, width)
    assert sheet.width() <= max(width, 28)
    headings = [column.heading for column in sheet.columns]
    assert headings[:4] == ["#", "bot", "Elo", "+/-"]
    for row, shown in zip(tables[0].rows, _column(sheet, "bot"), strict=True):
        assert (shown[0], shown[-1]) == (row.name[0], row.name[-1])
        assert len(shown) >= min(12, name_length)
    assert _column(sheet, "Elo") == [row.elo_text for row in tables[0].rows]
    # nothing goes that would have had room
    usual = ["group", "drawn", "lost", "won", "score", "LOS", "games"]
    gone = [heading for heading in usual if heading not in headings]
    assert gone == usual[: len(gone)]
    if gone:
        (wider,) = standings_sheets(
            tables, None, columns=[key for key in DEFAULT_COLUMNS if _heading(key) not in gone[:-1]]
        )
        assert wider.width() - name_length + min(12, name_length) > width


def _heading(key: str) -> str:
    return COLUMNS[key].heading


def test_any_width_shows_whole_names_and_all_usual_columns() -> None:
    tables, _ = rated(rows(["n" * 64, "m" * 64]))
    (sheet,) = standings_sheets(tables, None)
    assert sorted(_column(sheet, "bot")) == ["m" * 64, "n" * 64]
    assert len(sheet.columns) == len(DEFAULT_COLUMNS) - 1


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_says_what_a_row_has(column: str) -> None:
    (sheet,) = standings_sheets([_table(FULL, UNKNOWN)], columns=[column])
    assert [one.heading for one in sheet.columns] == [_heading(column)]
    unknown = {"bot": "zoe", "elo": "?"} | dict.fromkeys(
        ["games", "won", "drawn", "lost", "met"], "0"
    )
    assert [row[0] for row in sheet.rows] == [TEXTS[column], unknown.get(column, "")]


def test_columns_come_in_the_order_asked_for_at_any_width() -> None:
    chosen = ["bot", "high", "low", "ranks", "best", "rank", "met", "model-error", "elo"]
    (sheet,) = standings_sheets([_table(FULL)], 30, columns=chosen)
    assert [column.heading for column in sheet.columns] == [_heading(key) for key in chosen]
    assert sheet.rows == (tuple(TEXTS[key] for key in chosen),)


@pytest.mark.parametrize(
    ("bound", "elo", "low", "high"),
    [(Bound.ABOVE, "> 124", "124", ""), (Bound.BELOW, "< 124", "", "124")],
)
def test_a_bound_is_one_end(bound: Bound, elo: str, low: str, high: str) -> None:
    row = dataclasses.replace(FULL, bound=bound, error=None)
    (sheet,) = standings_sheets([_table(row)], columns=["elo", "error", "low", "high"])
    assert sheet.rows == ((elo, "", low, high),)


def test_one_rank_is_no_range() -> None:
    row = dataclasses.replace(FULL, rank_low=2, rank_high=2)
    (sheet,) = standings_sheets([_table(row)], columns=["ranks"])
    assert sheet.rows == (("2",),)


@pytest.mark.parametrize(
    ("chance", "text"),
    [(0.5, "50.0%"), (0.9985, "99.9%"), (0.99901, ">99.9%"), (1.0, ">99.9%"), (0.0, "<0.1%")],
)
def test_no_probability_is_certain(chance: float, text: str) -> None:
    row = dataclasses.replace(FULL, los_next=chance, best=chance)
    (sheet,) = standings_sheets([_table(row)], columns=["los", "best"])
    assert sheet.rows == ((text, text),)


def test_meanings_are_told_of_what_is_shown() -> None:
    (sheet,) = standings_sheets([_table(FULL)], columns=["bot", "los", "ranks"])
    text = as_text(sheet)
    assert "LOS: " in text
    assert "ranks: " in text
    for absent in ("group: ", "best: ", "boot: ", "met: "):
        assert absent not in text
    (sheet,) = standings_sheets([_table(UNKNOWN)], columns=["bot", "los"])
    assert "LOS: " not in as_text(sheet)


def test_scale_and_notices_stand_below() -> None:
    table = dataclasses.replace(_table(FULL), scale="The scale.", notices=("one", "two"))
    (sheet,) = standings_sheets([table], columns=["bot"])
    assert sheet.notes == ("The scale.", "Note: one.", "Note: two.")


@pytest.mark.parametrize("column", COLUMNS)
def test_sorting_puts_the_greatest_first_and_the_unknown_last(column: str) -> None:
    other = dataclasses.replace(
        FULL,
        rank=1,
        name="bob",
        elo=200.0,
        error=40.0,
        games=30,
        wins=20,
        draws=6,
        losses=4,
        score=0.8,
        los_next=0.9999,
        opponents=5,
        group="a",
        best=0.9,
        rank_low=1,
        rank_high=1,
        model_error=30.0,
        bootstrap_error=50.0,
    )
    found = [row.name for row in sorted_rows([UNKNOWN, FULL, other], column)]
    expected = ["bob", "ann", "zoe"]
    if column == "bot":
        expected = ["ann", "bob", "zoe"]
    elif column == "group":
        expected = ["zoe", "bob", "ann"]
    elif column == "ranks":  # both begin at the first place: the order stays
        expected = ["ann", "bob", "zoe"]
    assert found == expected


def test_sorted_tables_keep_their_ranks() -> None:
    tables, _ = rated(rows(["c", "a", "b"]), idle=["z"])
    (sheet,) = standings_sheets(tables, sort="bot", columns=["rank", "bot"])
    assert sheet.rows == (("2", "a"), ("3", "b"), ("1", "c"), ("", "z"))
    (sheet,) = standings_sheets(tables, sort="lost", columns=["bot"])
    assert sheet.rows == (("b",), ("a",), ("c",), ("z",))


def test_likelihoods_are_of_the_next_in_rank_whatever_the_order() -> None:
    tables, _ = rated(rows(["c", "a", "b"]))
    by_name = {row.name: row.los_next for row in tables[0].rows}
    (sheet,) = standings_sheets(tables, sort="bot", columns=["bot", "los"])
    for name, shown in sheet.rows:
        chance = by_name[name]
        assert shown == ("" if chance is None else f"{100 * chance:.1f}%")
    assert "next in rank" in " ".join(sheet.notes)


def test_errors_of_refits_are_shown_where_there_are_any() -> None:
    results = played("abcd")
    plain, _ = rate_games(results)
    refitted, _ = rate_games(results, RatingOptions(refits=20))
    assert "boot" not in standings_text(plain)
    (sheet,) = standings_sheets(refitted)
    errors = [row.bootstrap_error for row in refitted[0].rows]
    assert all(errors)
    assert _column(sheet, "boot") == [str(max(1, round(error or 0))) for error in errors]
    headings = [column.heading for column in sheet.columns]
    assert headings[3:5] == ["+/-", "boot"]
    narrow = standings_sheets(refitted, 20)[0]
    assert narrow.width() <= 20
    assert [column.heading for column in narrow.columns] == ["#", "bot", "Elo", "+/-"]


def test_a_live_table_has_no_groups() -> None:
    tables, _ = rated(rows(["a", "b", "c"]))
    assert "group" not in _on_terminal(tables[0])


def test_groups_are_letters_of_bots_that_do_not_differ() -> None:
    tables, _ = rate_games(played("abcd", 60, lead=0.8))
    (sheet,) = standings_sheets(tables)
    groups = _column(sheet, "group")
    assert all(groups)
    table = tables[0]
    names = [row.name for row in table.rows]
    for one in range(4):
        for other in range(one):
            differ = table.differ[names.index(table.rated[one]), names.index(table.rated[other])]
            assert bool(differ) == (not set(groups[one]) & set(groups[other]))
    assert np.any(table.differ)
    assert "Tukey" in " ".join(sheet.notes)
