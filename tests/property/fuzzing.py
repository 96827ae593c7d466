"""Texts and files that are nearly right: valid ones with parts cut, moved, repeated and spoilt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from hypothesis import strategies as st

DATA: Final = Path(__file__).parents[1] / "data"
FEW: Final = 80
"""Examples of a usual run, by property."""
MANY: Final = 2_000
"""Examples of a run of the slow tests."""

SPOILT: Final = (
    *("\0", "\x1b[2J", "\x07", "\x7f", "\x85", "\x9b", "\r", "\r\n", "\n", "\t", "\v", "\x1c"),
    *("\ufeff", "\u202e", "\u2066", "\u200b", "\u2028", "\u2029", "\u00a0", "\u3000", "\u3164"),
    *("\u0301" * 20, "\U000e0041", "\ud800", "\udcff", "\U0010ffff", "\u0665", "\uff11", "\u00b2"),
    *("0", "-0", "-1", "+1", "1_0", "0x1", "1e999", "nan", "inf", "9" * 19, "9" * 5_000, "1." * 90),
    *("(", "(;", ")", "[", "]", "[[", "]]", "{", "}", "\\", "/", "//", ";", ",", "#", "=", "|"),
    *("'", '"', "'''", '"""', "<!--", "$(x)", "`x`", "%s", "..", "(;" * 300, "[" * 600, "a." * 90),
    *("pass", "draw", "resign", "b1b3", "h8-h8", "moves", "value", "name", "x" * 150, " " * 200),
)  # fmt: skip

_Part = TypeVar("_Part", str, bytes)


def entries(file: str, table: str) -> list[dict[str, Any]]:
    """Return the entries of a file of ``tests/data``."""
    found: list[dict[str, Any]] = json.loads((DATA / file).read_text())[table]
    return found


@st.composite
def mutated(draw: st.DrawFn, seeds: Sequence[str], spoilt: Sequence[str] = SPOILT) -> str:
    """A text of ``seeds`` with up to six edits: cut, repeated, moved, spoilt, another's part."""
    text = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 6))):
        text = _edited(draw, text, spoilt, seeds)
    return text


@st.composite
def mutated_files(draw: st.DrawFn, seeds: Sequence[str]) -> bytes:
    """The bytes of a mutated text, in one of several encodings, bytes spoilt or not."""
    text = draw(mutated(seeds))
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]))
    lines = text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])))
    data = lines.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace")
    if draw(st.integers(0, 3)) == 0:
        data = _edited(draw, data, [b"\xff", b"\0", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf8"], [data])
    return data


def _edited(
    draw: st.DrawFn, text: _Part, spoilt: Sequence[_Part], others: Sequence[_Part]
) -> _Part:
    first = draw(st.integers(0, len(text)))
    last = min(first + draw(st.integers(0, 40)), len(text))
    before, part, after = text[:first], text[first:last], text[last:]
    match draw(st.integers(0, 5)):
        case 0:
            return before + after
        case 1:
            return before + part * draw(st.integers(2, 60)) + after
        case 2:
            place = draw(st.integers(0, len(after)))
            return before + after[:place] + part + after[place:]
        case 3:
            other = draw(st.sampled_from(others))
            start = draw(st.integers(0, len(other)))
            return before + other[start : start + 60] + after
        case 4:
            return before + draw(st.sampled_from(spoilt)) + part + after
        case _:
            return before + draw(st.sampled_from(spoilt)) + after
