from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from harness.report.sheet import Column, Sheet, as_markdown, as_rich, as_text, plain_name


def _on_terminal(sheet: Sheet, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=True, no_color=True).print(as_rich(sheet))
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


def test_names_lose_their_middle() -> None:
    assert plain_name("abcdefghij", 6) == "ab..ij"
    assert plain_name("abcdefghij", 7) == "abc..ij"
    assert plain_name("abcdef", 6) == "abcdef"
    assert plain_name("caf\u00e9") == r"caf\xe9"


@pytest.mark.parametrize("width", range(1, 12))
def test_a_name_is_as_short_as_asked_but_never_gone(width: int) -> None:
    shown = plain_name("abcdefghijklmnop", width)
    assert len(shown) == max(width, 4)
    assert (shown[0], shown[-1]) == ("a", "p")


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


def test_markdown_without_columns_is_a_heading_and_sentences() -> None:
    assert as_markdown(Sheet("T", (), (), ("- one.", "- two."))) == "## T\n\n\n- one.\n\n- two.\n"


def test_a_sheet_sets_numbers_right_and_breaks_its_notes() -> None:
    columns = Column("bot", is_number=False), Column("n")
    sheet = Sheet("", columns, (("x", "100"),), ("a b " * 15,))
    lines = as_text(sheet, 20).splitlines()
    assert lines[:2] == ["bot    n", "x    100"]
    assert all(len(line) <= 20 for line in lines)
    assert "100" in _on_terminal(sheet)


def test_the_width_of_a_sheet_is_that_of_its_longest_line() -> None:
    columns = Column("bot", is_number=False), Column("games"), Column("n")
    for rows in ((), (("long-name", "1", "12345"),), (("x", "123456", "1"), ("yy", "", "2"))):
        sheet = Sheet("t", columns, rows)
        assert max(map(len, as_text(sheet).splitlines())) == sheet.width()
    assert Sheet("t", (), ()).width() == 0


def test_sentences_alone_need_no_columns() -> None:
    sheet = Sheet("Title", (), (), ("one.", "two."))
    assert as_text(sheet) == "Title\none.\ntwo.\n"
    assert [line.strip() for line in _on_terminal(sheet).splitlines()] == ["Title", "one.", "two."]


def test_a_terminal_takes_no_markup_from_texts() -> None:
    columns = (Column("[bold]h[/bold]", is_number=False),)
    sheet = Sheet("[red]t[/red]", columns, (("[blue]c[/blue]",),), ("[i]n[/i]",))
    shown = _on_terminal(sheet)
    for text in ("[bold]h[/bold]", "[red]t[/red]", "[blue]c[/blue]", "[i]n[/i]"):
        assert text in shown
