from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import SgfError, SpecError
from harness.play.types import Opening
from harness.rules.notation import format_moves, parse_fen, parse_move, parse_start
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START
from harness.rules.sgf import SgfGame, read_sgf_games, write_sgf
from harness.rules.types import PASS, RuleSet
from harness.tournament.opening_file import read_opening_entries, read_opening_file

from ..rules.vectors import records

RULES = RuleSet(max_plies=400)
CUSTOM = parse_fen("7w/1w6/7w/4b3/8/8/8/b1b5 w").position()


def moves(*texts: str) -> tuple[int, ...]:
    return tuple(parse_move(text) for text in texts)


def openings(path: Path, text: str, plies: int | None = None) -> tuple[Opening, ...]:
    path.write_text(text)
    return read_opening_file(path, SCRAMBLED_EGGS_START, RULES, plies).openings


def test_each_game_of_a_collection_is_an_opening(tmp_path: Path) -> None:
    text = (
        "(;FF[4]GM[9]SU[Standard]PB[a];B[b1-b3];W[h4-f2](;B[c1-c3])(;B[d1-d3]))\n"
        "(;GM[9]AB[a1][c1][e5]AW[h8][h6][b7]PL[W])\n"
        "(;GM[9]SU[Scrambled-eggs];B[a7-c7])"
    )
    for name in ("games.sgf", "games.txt", "GAMES.SGF"):
        one, two, three = openings(tmp_path / name, text)
        assert format_moves(one.start, one.moves) == ["b1-b3", "h4-f2", "c1-c3"]
        assert one.start == STANDARD_START
        assert two == Opening(CUSTOM)
        assert (three.start, len(three.moves)) == (SCRAMBLED_EGGS_START, 1)


def test_plies_cut_games_and_lines(tmp_path: Path) -> None:
    game = "(;GM[9];B[b1-b3];W[h4-f2];B[c1-c3])"
    for text in (game, "standard b1-b3 h4-f2 c1-c3"):
        for plies, expected in ((1, 1), (2, 2), (3, 3), (9, 3), (None, 3)):
            (opening,) = openings(tmp_path / "o", text, plies)
            assert len(opening.moves) == expected


def test_what_is_cut_away_may_end_the_game_or_be_wrong(tmp_path: Path) -> None:
    played = records("real_games", "games")[0]
    start = parse_start(played["start"]) if "start" in played else STANDARD_START
    whole = write_sgf(SgfGame(start, tuple(parse_move(text) for text in played["moves"])))
    with pytest.raises(SpecError, match=r"game 1 \(line 1\): decided by move"):
        openings(tmp_path / "o", whole)
    assert len(openings(tmp_path / "o", whole, 6)[0].moves) == 6
    assert len(openings(tmp_path / "o", "(;GM[9];B[b1-b3];W[h4-h5])", 1)) == 1
    assert len(openings(tmp_path / "o", "standard b1-b3 h4-h5", 1)) == 1


def test_a_pass_that_is_not_written_counts_as_a_ply() -> None:
    blocked = next(r["position"] for r in records("positions", "positions") if not r["moves"])
    start = parse_fen(blocked).position()
    after = start.after(PASS)
    move = next(one for one in after.legal_moves() if after.after(one).has_legal_move())
    reply = min(after.after(move).legal_moves())
    whole = (PASS, move, reply)
    text = write_sgf(SgfGame(start, whole)).replace(f";{'BW'[start.to_move]}[pass]", "")
    for plies, expected in ((1, whole[:1]), (2, whole[:2]), (3, whole), (None, whole)):
        ((_, game),) = read_sgf_games(text, plies)
        assert isinstance(game, SgfGame)
        assert game.moves == expected


def test_every_bad_game_is_reported(tmp_path: Path) -> None:
    text = "(;GM[9];B[b1-b3])\n(;GM[1])\n(;GM[9]\n;B[b1-b4])(;GM[9];B[c1-c3])"
    with pytest.raises(SpecError) as caught:
        openings(tmp_path / "o.sgf", text)
    places = [problem.place for problem in caught.value.problems]
    assert places == ["game 2 (line 2)", "game 3 (line 4)"]
    entries = read_opening_entries(tmp_path / "o.sgf", STANDARD_START, RULES)
    assert [entry.place for entry in entries] == [
        "game 1 (line 1)",
        "game 2 (line 2)",
        "game 3 (line 4)",
        "game 4 (line 4)",
    ]
    with pytest.raises(SpecError, match="line 2: expected"):
        openings(tmp_path / "o.sgf", "(;GM[9]\n]")
    with pytest.raises(SgfError):
        read_sgf_games("")


def test_repeated_games_are_named(tmp_path: Path) -> None:
    path = tmp_path / "o.sgf"
    path.write_text("(;GM[9];B[b1-b3])\n\n(;GM[9]SU[Standard];B[b1b3])")
    file = read_opening_file(path, STANDARD_START, RULES)
    assert file.duplicates == ("game 2 (line 3) repeats game 1 (line 1)",)


def test_names_in_latin_1_are_no_matter_in_sgf(tmp_path: Path) -> None:
    data = "(;GM[9]PB[J\u00f6rg]\r\n;B[b1-b3])".encode("latin-1")
    (tmp_path / "o.sgf").write_bytes(data)
    assert len(read_opening_file(tmp_path / "o.sgf", STANDARD_START, RULES).openings) == 1
    (tmp_path / "o.txt").write_bytes(data)
    with pytest.raises(SpecError, match="UTF-8"):
        read_opening_file(tmp_path / "o.txt", STANDARD_START, RULES)
