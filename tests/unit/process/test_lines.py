"""Bytes into lines, whatever the chunks, within the bound."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from harness.process.lines import LineSplitter
from harness.process.tail import Tail

BOUND = 8
TEXTS = st.text(alphabet="ab\r\n\x00", max_size=80).map(str.encode)


def expected(text: bytes) -> list[bytes]:
    whole = text.split(b"\n")[:-1]
    stripped = [line[:-1] if line.endswith(b"\r") else line for line in whole]
    return [line for line in stripped if len(line) <= BOUND]


@example(b"12345678\r\n", [9])
@example(b"123456789\r\n", [10])
@given(TEXTS, st.lists(st.integers(1, 20), max_size=20))
def test_lines_do_not_depend_on_the_chunks(text: bytes, sizes: list[int]) -> None:
    splitter = LineSplitter(BOUND)
    lines: list[bytes] = []
    rest = text
    for size in sizes:
        chunk, rest = rest[:size], rest[size:]
        lines += splitter.feed(chunk)
    lines += splitter.feed(rest)
    assert lines == expected(text)


def test_a_line_over_the_bound_is_dropped_whole_and_the_next_one_read() -> None:
    splitter = LineSplitter(BOUND)
    assert splitter.feed(b"x" * 100) == []
    assert splitter.feed(b"y" * 100) == []
    assert splitter.feed(b"bestmove\nok\n") == [b"ok"]


def test_clear_forgets_an_unfinished_line() -> None:
    splitter = LineSplitter()
    splitter.feed(b"half a li")
    splitter.clear()
    assert splitter.feed(b"new\n") == [b"new"]


@given(st.lists(st.binary(max_size=30), max_size=20))
def test_a_tail_keeps_the_last_bytes(chunks: list[bytes]) -> None:
    tail = Tail(16)
    for chunk in chunks:
        tail.write(chunk)
    assert tail.text() == b"".join(chunks)[-16:].decode("utf-8", "replace")
