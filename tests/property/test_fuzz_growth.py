"""Ten times as much input takes at most some ten times the steps and the memory.

Steps are lines of Python that run, memory is what is allocated at the same time: neither depends on
the machine. What runs inside one call of C shows in memory alone.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NamedTuple

import pytest

from harness.errors import HarnessError
from harness.play.clock import TimeControl
from harness.play.score import read_score
from harness.protocol.codec import decode_message, decode_request
from harness.report.safe_text import csv_text, printable, printable_lines
from harness.rules.notation import parse_fen, parse_move, parse_start
from harness.rules.position import STANDARD_START
from harness.rules.sgf import SgfGame, read_sgf, read_sgf_games, write_sgf
from harness.tournament.opening_lines import read_opening_lines
from harness.tournament.toml_places import key_lines

FEW = 300
MORE = 10 * FEW
MOST_GROWTH = 14
"""Ten, and what doubling tables and lists adds."""
FIXED_BYTES = 300_000
"""What a first call keeps: compiled patterns, caches, tables."""

SGF_NOISE = ["(;", ";", "(;)", "(;GM[9]", "[]", "A", " \n", "\\", "(;C[x])", ")", ";B[b1-b3]"]
LINE_NOISE = ["x\n", "b1b3\n", "b1b3 ", "1.", ",", "/", "pass ", "#", "standard\n", "\u3000"]


class Case(NamedTuple):
    name: str
    read: Callable[[str], object]
    text: Callable[[int], str]


def lines_of(text: str) -> object:
    return list(read_opening_lines(text, STANDARD_START, None))


def collection(text: str) -> object:
    return read_sgf_games(f"(;GM[9]{text}")


def written_comment(text: str) -> object:
    return write_sgf(SgfGame(STANDARD_START, comment=text))


def score_of(text: str) -> object:
    return read_score(text.encode())


def repeated(part: str) -> Callable[[int], str]:
    return lambda times: part * times


CASES = [
    *(Case(f"SGF {part!r}", read_sgf_games, repeated(part)) for part in SGF_NOISE),
    *(Case(f"in SGF {part!r}", collection, repeated(part)) for part in SGF_NOISE),
    Case("SGF nested", read_sgf, lambda n: "(;" * n + ")" * n),
    Case("SGF variations", read_sgf, lambda n: "(;GM[9]" + "(;B[b1-b3])" * n + ")"),
    Case("SGF comment", read_sgf, lambda n: "(;C[" + "\\]\n" * n + "])"),
    Case("SGF values", read_sgf, lambda n: "(;AB" + "[a1:h8]" * n + ")"),
    Case("SGF lines", read_sgf, lambda n: "(;GM[9]" + "\n;C[x]" * n + ")"),
    Case("SGF out", written_comment, repeated("\x1b\u0301")),
    *(Case(f"opening {part!r}", lines_of, repeated(part)) for part in LINE_NOISE),
    Case("position", parse_fen, lambda n: "1" * n),
    Case("ranks", parse_fen, lambda n: "8/" * n + " b"),
    Case("side to move", parse_start, lambda n: "8/8 " + "b" * n),
    Case("move", parse_move, lambda n: "b1b3" + "!" * n + "x"),
    Case("time control terms", TimeControl.parse, lambda n: "5+1," * n),
    Case("time control signs", TimeControl.parse, lambda n: "/+" * n),
    Case("info words", decode_message, lambda n: "info " + "pv score cp " * n),
    Case("info string", decode_message, lambda n: "info string " + "x " * n),
    Case("option words", decode_message, lambda n: "option name x type spin" + " var a min 1" * n),
    Case("go", decode_request, lambda n: "go " + "nodes 1 depth " * n),
    Case("position moves", decode_request, lambda n: "position startpos moves" + " b1b3" * n),
    Case("setoption", decode_request, lambda n: "setoption name " + "name value " * n),
    Case("score", score_of, lambda n: "info " + "score cp score " * n),
    Case("printable", printable, lambda n: "a\x1b\u0301\u202e" * n),
    Case("printable lines", printable_lines, lambda n: "\t\r\n\n" * n),
    Case("cell", csv_text, lambda n: "=" * n + "\x00"),
    Case("TOML keys", key_lines, lambda n: "".join(f"k{number} = [1, 2]\n" for number in range(n))),
    Case("TOML tables", key_lines, lambda n: "[[bot]]\na = {b = 1}\n" * n),
    Case("TOML strings", key_lines, lambda n: 'a = """' + "\\\"\n" * n + '"""'),
]  # fmt: skip


def steps(call: Callable[[], object]) -> int:
    """Return how many lines of Python run in the call."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(HarnessError):
            call()
    finally:
        sys.settrace(before)
    return count


def peak_bytes(call: Callable[[], object]) -> int:
    """Return the most memory that the call holds at a time, its result included."""
    tracemalloc.start()
    try:
        with suppress(HarnessError):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_work_grows_with_the_input(case: Case) -> None:
    few, more = case.text(FEW), case.text(MORE)
    assert len(more) <= 11 * len(few) + 100
    assert steps(lambda: case.read(more)) <= MOST_GROWTH * steps(lambda: case.read(few)) + 1_000


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_memory_grows_with_the_input(case: Case) -> None:
    few, more = case.text(FEW), case.text(MORE)
    least = peak_bytes(lambda: case.read(few))
    assert peak_bytes(lambda: case.read(more)) <= MOST_GROWTH * least + FIXED_BYTES
