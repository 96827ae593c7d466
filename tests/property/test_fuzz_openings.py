"""A file of openings: every entry is an opening or a fault, or the file is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.errors import SpecError
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet
from harness.tournament.opening_check import examine_openings
from harness.tournament.opening_entry import OpeningFault
from harness.tournament.opening_file import read_opening_entries, read_opening_file
from tests.property.fuzzing import FEW, MANY, entries, mutated_files
from tests.property.test_fuzz_sgf import SHORT

GAMES = entries("games.json", "games")
LINES = [f"{one['start']} {' '.join(one['moves'][:6])}" for one in GAMES[:12]]
TEXTS = [
    "\n".join(LINES),
    "# comment\n1. b1-b3 h4-f2 2. c1xa3\nstandard b1 b3, a2-c2;\n\nscrambled-eggs a7-c7 # end\n",
    "b1b3\nb1-b3\nB1:B3!?\nstartpos d1a4\n1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w a2c2",
    *SHORT,
]
RULES = RuleSet(max_plies=400)
IN_FOLDER = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)
FILES = mutated_files(TEXTS) | st.binary(max_size=200)


def check_file(folder: Path, data: bytes) -> None:
    for name in ("openings.txt", "openings.sgf"):
        path = folder / name
        path.write_bytes(data)
        try:
            found = read_opening_entries(path, STANDARD_START, RULES, None)
        except SpecError as error:
            check_error(error, path)
            continue
        assert all(entry.place.startswith(("line ", "game ")) for entry in found)
        faults = [entry.content for entry in found if isinstance(entry.content, OpeningFault)]
        assert all(len(fault.message) < 1_500 for fault in faults)
        assert all(fault.message.isprintable() for fault in faults)
        check = examine_openings(found, RULES)
        assert check.openings == len(found) - len(faults)
        try:
            openings = read_opening_file(path, STANDARD_START, RULES, 3).openings
        except SpecError as error:
            check_error(error, path)
        else:
            assert all(len(opening.moves) <= 3 for opening in openings)


def check_error(error: SpecError, path: Path) -> None:
    assert error.source == str(path)
    assert 1 <= len(error.problems) <= 51
    assert len(str(error)) < 100_000
    assert str(error).replace("\n", "").isprintable()


@settings(max_examples=2 * FEW, suppress_health_check=IN_FOLDER)
@given(FILES)
@example(b"")
@example(b"\xef\xbb\xbfb1-b3\r\n\r\nh4-f2\r\n")
@example(b"b1-b3\0h4-f2\n\0\n")
@example(b"b1-b3 " * 20_000)
@example(b"1." * 20_000)
@example(b"/" * 20_000)
@example(b"1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 " + b"x" * 20_000)
@example(b"s" * 20_000)
@example(b"9" * 5_000 + b"/8/8/8/8/8/8/8 b")
@example("\u202e\u2028b1-b3\u0085h4-f2\u00a0".encode())
@example("\u0301".encode() * 5_000)
@example("b1-b3".encode("utf-16"))
@example(b"(;" * 20_000)
def test_no_file_breaks_the_reading_of_openings(tmp_path: Path, data: bytes) -> None:
    check_file(tmp_path, data)


@pytest.mark.slow
@settings(max_examples=MANY, suppress_health_check=IN_FOLDER)
@given(FILES)
def test_no_file_breaks_the_reading_of_openings_at_length(tmp_path: Path, data: bytes) -> None:
    check_file(tmp_path, data)
