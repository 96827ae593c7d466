from __future__ import annotations

import pytest

from harness.report.safe_text import printable, printable_lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é 棋 ok", "plain é 棋 ok"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("nul\0 bell\a del\x7f csi\x9b", r"nul\x00 bell\x07 del\x7f csi\x9b"),
        ("left\u202eright", r"left\u202eright"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("sep\u2028arate", r"sep\u2028arate"),
        ("lone\udc80", r"lone\udc80"),
    ],
)
def test_what_steers_a_terminal_is_escaped(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_every_character_comes_out_printable() -> None:
    everything = "".join(map(chr, range(0x110000)))
    assert printable(everything).isprintable()


def test_lines_stay_lines() -> None:
    assert printable_lines("one\r\ntwo\tx\n\x1b[1mthree\n") == ["one", "two     x", r"\x1b[1mthree"]
    assert printable_lines("no end") == ["no end"]
    assert printable_lines("") == []
