from __future__ import annotations

import sys
import unicodedata

import pytest

from harness.errors import SgfError
from harness.protocol.codec import encode_message
from harness.protocol.messages import Info, OptionOffer, OptionType
from harness.report.safe_text import csv_text, printable
from harness.rules.position import STANDARD_START
from harness.rules.sgf import SgfGame, read_sgf, read_sgf_games, write_sgf
from harness.rules.sgf_tree import MAX_NODES, MAX_VALUES
from harness.visible_text import with_hidden_replaced


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("e\u0301 a\u030a\u0323", "e\u0301 a\u030a\u0323"),  # what writing needs
        ("z" + "\u0334" * 6, "z" + "\u0334" * 4 + r"\u0334\u0334"),
        ("z\u0334\u20dd\u0334\u20dd\u0334", "z\u0334\u20dd\u0334\u20dd" + r"\u0334"),
        ("a\u3164b", r"a\u3164b"),
        ("\u115f\u1160\uffa0\u034f", r"\u115f\u1160\uffa0\u034f"),
        ("\u200d\u2060\ufeff\u00ad", r"\u200d\u2060\ufeff\xad"),
        ("\u061c\u200e\u200f\u2066\u2069", r"\u061c\u200e\u200f\u2066\u2069"),
        ("\x85\x9b\x7f", r"\x85\x9b\x7f"),
        ("\u2028\u2029\u00a0\u3000", r"\u2028\u2029\xa0\u3000"),
        ("\U000e0041\ue000\ud800", r"\U000e0041\ue000\ud800"),
    ],
)
def test_what_hides_or_covers_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_no_character_that_has_no_shape_is_left() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    left = with_hidden_replaced(everything, lambda _: "")
    assert {unicodedata.category(character)[0] for character in left.replace(" ", "")} <= set(
        "LMNPS"
    )
    assert [character for character in left if character.isspace()] == [" "]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        *(("greedy", "greedy"), ("a=b", "a=b"), ("", ""), ("5", "5")),
        *(("=1+1", "'=1+1"), ("+5", "'+5"), ("-5", "'-5"), ("@x", "'@x"), ("\uff1d1", "'\uff1d1")),
        *(("\t=1", r"\t=1"), ("\r=1", r"\r=1"), ("\u202e=1", r"\u202e=1"), ("a\nb", r"a\nb")),
    ],
)
def test_a_text_of_csv_is_no_formula(text: str, cell: str) -> None:
    assert csv_text(text) == cell


def test_sgf_is_written_without_what_steers_a_terminal() -> None:
    hostile = "\x1b[2J\u202e]\\\x00z" + "\u0334" * 9
    game = SgfGame(STANDARD_START, black=hostile, comment=f"{hostile}\nline")
    text = write_sgf(game)
    assert all(character.isprintable() or character == "\n" for character in text)
    (copy,) = read_sgf(text)
    assert copy.black == "\ufffd[2J\ufffd]\\\ufffdz" + "\u0334" * 4 + "\ufffd" * 5
    assert copy.comment == f"{copy.black}\nline"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(;GM[9]" + ";" * MAX_NODES + ")", f"at most {MAX_NODES} nodes"),
        ("(;GM[9]AB" + "[a1]" * MAX_VALUES + ")", f"at most {MAX_VALUES} values"),
        ("(;GM[9]" + ";C[]" * (MAX_NODES - 1) + "AB" + "[]" * MAX_VALUES + ")", "values"),
    ],
)
def test_a_game_of_sgf_is_bounded(text: str, why: str) -> None:
    with pytest.raises(SgfError, match=why):
        read_sgf(text)


def test_what_is_off_the_main_line_is_not_counted() -> None:
    beside = ";C[x]" * MAX_NODES
    (game,) = read_sgf(f"(;GM[9](;B[b1-b3])({beside})({beside})({beside}))")
    assert len(game.moves) == 1


def test_a_collection_that_is_read_at_once_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.rules.sgf.MAX_GAMES", 3)
    assert len(read_sgf_games("(;GM[9])" * 3)) == 3
    with pytest.raises(SgfError, match="at most 3 games"):
        read_sgf_games("(;GM[9])" * 4)


def test_what_a_bot_announces_stays_on_its_line() -> None:
    offer = OptionOffer("a\nb", OptionType.COMBO, "c\rd", choices=("e\x85f", "g\u2028h"))
    assert encode_message(offer) == "option name a b type combo default c d var e f var g h"
    assert encode_message(Info(pv=("b1b3\nbestmove", "a2c2"), text="x\ny")) == (
        "info pv b1b3 bestmove a2c2 string x y"
    )


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[\x1b[2J])",
        "(;GM[9]SZ[\x1b\u202e])",
        "(;GM[9]PL[\x07])",
        "(;GM[9]SU[\x1b])",
        "(;GM[9];B[\x1b[31m])",
        "(;GM[9];W[\u202eb1-b3])",
        "(;GM[9]AB[\x1b])",
        "(;GM[9]\x1b",
        "(\x1b",
    ],
)
def test_a_fault_of_sgf_quotes_the_file_printably(text: str) -> None:
    with pytest.raises(SgfError) as raised:
        read_sgf(text)
    assert str(raised.value).isprintable()
