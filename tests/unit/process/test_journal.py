"""What a journal shows: lines as a bot wrote them, however they were read."""

from __future__ import annotations

import pytest

from harness.process.journal import Entry, Journal


def shown(*entries: Entry, is_whole: bool = True) -> list[str]:
    """Return the lines without their times."""
    journal = Journal(is_whole=is_whole)
    for entry in entries:
        journal.add(entry)
    return [line.split(maxsplit=1)[1] for line in journal.text().split("\n")]


def times(*entries: Entry) -> list[float]:
    journal = Journal(is_whole=True)
    journal._begun_ns = 0
    for entry in entries:
        journal.add(entry)
    return [float(line.split()[0]) for line in journal.text().split("\n")]


@pytest.mark.parametrize("is_whole", [False, True])
def test_pieces_of_a_bots_output_are_shown_as_lines(is_whole: bool) -> None:
    entries: list[Entry] = [
        (1, "a", ">", b"position startpos\ngo\n"),
        (2, "a", "<", b"info depth 1\nbest"),
        (3, "a", "<", b"move b1b3"),
        (4, "a", "<", b"\r"),
        (5, "a", "<", b"\n"),
        (6, "b", ">", b"go\n"),
        (7, "b", "<", b"bestmove h4f2\n"),
    ]
    assert shown(*entries, is_whole=is_whole) == [
        "a > position startpos",
        "a > go",
        "a < info depth 1",
        "a < bestmove b1b3",
        "b > go",
        "b < bestmove h4f2",
    ]


def test_a_line_has_the_time_of_its_end() -> None:
    pieces = [(1_000_000, "a", "<", b"bestmove"), (3_000_000, "a", "<", b" b1b3\n")]
    assert times(*pieces) == [3.0]


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_last_piece_without_a_newline_is_marked(is_whole: bool) -> None:
    entries: list[Entry] = [(1, "a", "<", b"info\nbestmove"), (2, "a", "<", b" b1b3")]
    assert shown(*entries, is_whole=is_whole) == ["a < info", "a < bestmove b1b3 [no newline]"]


def test_a_new_request_ends_what_was_unfinished_of_that_bot_alone() -> None:
    entries: list[Entry] = [
        (1, "a", "<", b"mumble"),
        (2, "b", "<", b"best"),
        (3, "a", ">", b"go\n"),
        (4, "b", "<", b"move h4f2\n"),
        (5, "a", "<", b"bestmove b1b3\n"),
    ]
    assert shown(*entries) == [
        "a < mumble [no newline]",
        "a > go",
        "b < bestmove h4f2",
        "a < bestmove b1b3",
    ]


def test_empty_lines_of_a_bot_stay() -> None:
    assert shown((1, "a", "<", b"\n\nx\n")) == ["a < ", "a < ", "a < x"]


def test_what_is_included_stands_in_the_order_of_time() -> None:
    start, game = Journal(is_whole=True), Journal(is_whole=True)
    game.add((3, "b", ">", b"ugi\n"))
    start.add((1, "a", ">", b"ugi\n"))
    start.add((4, "a", "<", b"ugiok\n"))
    game.include(start)
    texts = [line.split(maxsplit=1)[1] for line in game.text().split("\n")]
    assert texts == ["a > ugi", "b > ugi", "a < ugiok"]
