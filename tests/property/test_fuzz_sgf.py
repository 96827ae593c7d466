"""SGF: an SgfError with a line of the text, or games that are written and read back."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings

from harness.errors import SgfError
from harness.rules.notation import parse_fen, parse_move
from harness.rules.sgf import SgfGame, read_sgf, read_sgf_games, write_sgf
from tests.property.fuzzing import FEW, MANY, entries, mutated


def written(entry: dict[str, str]) -> str:
    game = SgfGame(
        parse_fen(entry["start"]).position(),
        tuple(map(parse_move, entry["moves"])),
        black="Black [b]",
        white="W",
        comment="two\nlines",
    )
    return write_sgf(game)


REAL = [written(entry) for entry in entries("real_games.json", "games")][:12]
SHORT = [
    "(;FF[4]GM[9]SU[Custom]AB[a1][h1]AW[a8:b8]PL[B]C[x\\]y];B[a1-b2](;W[a8-a7])(;W[]))",
    "preface (;GaMe[9]SiZe[8];B[b1-b3](;W[h4-f2](;B[d1:a4])(;B[c1-c3]))(;W[a2-b2]))(;GM[9])",
    "(;GM[9]SU[Scrambled-eggs]AE[a1:h8]AB[a1:a3]AW[h1:h3]PL[2];B[resign];W[a1-a2])",
]
TEXTS = [*SHORT, *SHORT, *(text[:300] for text in REAL), *REAL]


def check_sgf(text: str) -> None:
    lines = text.count("\n") + text.count("\r") + 1
    try:
        games = read_sgf(text)
    except SgfError as error:
        check_error(error, lines)
        games = []
    for game in games:
        (copy,) = read_sgf(write_sgf(game))
        assert (copy.start, copy.moves) == (game.start, game.moves)
    try:
        found = read_sgf_games(text, 3)
    except SgfError as error:
        check_error(error, lines)
        return
    for line, content in found:
        assert 1 <= line <= lines
        if isinstance(content, SgfError):
            check_error(content, lines)
        else:
            assert len(content.moves) <= 3


def check_error(error: SgfError, lines: int) -> None:
    assert 1 <= error.line <= lines
    assert str(error).isprintable()
    assert len(str(error)) < 500


@settings(max_examples=3 * FEW)
@given(mutated(TEXTS))
@example("(;" * 100_000 + ")" * 100_000)
@example("(;GM[9]" + "(;B[b1-b3])" * 10_000 + ")")
@example("(;GM[9]" + "(;W[]" * 10_000)
@example("(;" + ";" * 100_001 + ")")
@example("(;AB" + "[a1]" * 200_001 + ")")
@example("(;C[" + "\\" * 9_999 + "])")
@example("(;C[" + "\\]" * 9_999)
@example("(" * 50_000)
@example("(" + " \n" * 50_000 + ";")
@example("(;" + "A" * 50_000 + "[])")
@example("(;GM[" + "9" * 5_000 + "])")
@example("(;GM[9]SZ[" + "\u0668" + "])")
@example("(;GM[\uff19])")
@example("\ufeff(;GM[9];B[b1-b3];W[h4-f2])")
@example("(;GM[9];B[b1-b3]\r;W[h4-f2]\n\r;B[\x1b])")
def test_no_text_breaks_the_reading_of_sgf(text: str) -> None:
    check_sgf(text)


@pytest.mark.slow
@settings(max_examples=2 * MANY)
@given(mutated(TEXTS))
def test_no_text_breaks_the_reading_of_sgf_at_length(text: str) -> None:
    check_sgf(text)
