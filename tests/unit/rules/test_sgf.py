from __future__ import annotations

import dataclasses

import pytest

from harness.errors import SgfError
from harness.rules.notation import format_moves, parse_move, parse_start
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.sgf import SgfGame, read_sgf, write_sgf
from harness.rules.types import PASS, Color

from .vectors import records

BLOCKED = next(r["position"] for r in records("positions", "positions") if not r["moves"])


def only(text: str) -> SgfGame:
    games = read_sgf(text)
    assert len(games) == 1
    return games[0]


def moves_of(text: str) -> list[str]:
    game = only(text)
    return format_moves(game.start, game.moves)


def fault_of(text: str) -> SgfError:
    with pytest.raises(SgfError) as caught:
        read_sgf(text)
    return caught.value


def test_written_form() -> None:
    moves = tuple(parse_move(text) for text in ("b1-b3", "h4-f2", "d1xa4"))
    game = SgfGame(
        STANDARD_START, moves, black="B]ob", white="W\\a", result="B+R", rules="simultaneous=draw",
        event="cup", date="2024-01-31", comment="two\nlines", resigned=Color.WHITE,
    )  # fmt: skip
    assert write_sgf(game) == (
        "(;FF[4]GM[9]SZ[8]CA[UTF-8]SU[Standard]PB[B\\]ob]PW[W\\\\a]RE[B+R]"
        "RU[simultaneous=draw]EV[cup]DT[2024-01-31]C[two\nlines]\n"
        ";B[b1-b3];W[h4-f2];B[d1:a4];W[resign])\n"
    )
    assert read_sgf(write_sgf(game)) == [game]


def test_custom_starts_are_written_as_setup() -> None:
    start = parse_start("w6w/8/8/8/8/8/8/b6b w")
    text = write_sgf(SgfGame(start))
    assert text == "(;FF[4]GM[9]SZ[8]CA[UTF-8]SU[Custom]AB[a1][h1]AW[a8][h8]PL[W])\n"
    assert only(text).start == start


def test_scrambled_eggs_by_name() -> None:
    assert "SU[Scrambled-eggs]" in write_sgf(SgfGame(SCRAMBLED_EGGS_START))
    for name in ("Scrambled-eggs", "ScrambledEggs", "scrambled eggs", "SCRAMBLED_EGGS"):
        assert only(f"(;GM[9]SU[{name}])").start == SCRAMBLED_EGGS_START


def test_a_start_with_the_other_side_to_move_keeps_it() -> None:
    start = Position(STANDARD_START.black, STANDARD_START.white, Color.WHITE)
    assert only(write_sgf(SgfGame(start))).start == start


def test_real_games_come_back() -> None:
    for record in records("real_games", "games"):
        start = parse_start(record["start"])
        moves = tuple(parse_move(text) for text in record["moves"])
        game = SgfGame(start, moves, black="one", white="two", result="?")
        assert only(write_sgf(game)) == game


def test_a_collection_holds_several_trees() -> None:
    games = read_sgf("preface (see below)\n(;GM[9]PB[one])\n\n(;GM[9]PB[two];B[b1-b3])\n")
    assert [(game.black, len(game.moves)) for game in games] == [("one", 0), ("two", 1)]


def test_forms_of_moves() -> None:
    text = "(;GM[9];B[B1-b3+];W[h4f2!?];B[d1:A4++];W[h2-e2])"
    assert moves_of(text) == ["b1-b3", "h4-f2", "d1xa4", "h2-e2"]


def test_variations_are_skipped_with_a_notice() -> None:
    text = "(;GM[9];B[b1-b3](;W[h4-f2](;B[d1:a4])(;B[c1-c3](;W[a2-b2])))(;W[nonsense];B[a9]))"
    assert moves_of(text) == ["b1-b3", "h4-f2", "d1xa4"]
    assert only(text).notices == ("2 variations skipped",)
    assert only("(;GM[9](;B[b1-b3])(;B[b1-d1]))").notices == ("1 variation skipped",)


def test_order_blanks_and_unknown_properties_do_not_matter() -> None:
    text = "\ufeff( ;\r\n XX [a:b] [] PW[w]\tSZ [8]\r\nGM\r\n[9] KO[] ; \r\n TE[1] B [b1-b3] C[] )"
    assert only(text).white == "w"
    assert moves_of(text) == ["b1-b3"]


def test_lower_case_letters_of_old_identifiers_are_ignored() -> None:
    game = only("(;GaMe[9]PlayerBlack[nobody]PlBlack[x]PBlack[who];Black[b1-b3];White[h4-f2])")
    assert len(game.moves) == 2
    assert game.black == "nobody x who"


def test_escapes() -> None:
    game = only("(;GM[9]PB[a\\]b\\\\]PW[two\nwords\there]C[soft\\\nbreak\nhard \\\\\nend \\:])")
    assert game.black == "a]b\\"
    assert game.white == "two words here"
    assert game.comment == "softbreak\nhard \\\nend :"


def test_game_comment_and_comment_are_joined() -> None:
    assert only("(;GM[9]C[root]GC[game])").comment == "game\nroot"


@pytest.mark.parametrize("entry", ["pass", "PASS", "", " "])
def test_passes(entry: str) -> None:
    start = parse_start(BLOCKED)
    head = write_sgf(SgfGame(start)).rstrip().removesuffix(")")
    game = only(f"{head};{'BW'[start.to_move]}[{entry}])")
    assert game.moves == (PASS,)
    assert only(write_sgf(game)) == game
    assert "[pass]" in write_sgf(game)


def test_a_forced_pass_that_is_not_written_is_put_in() -> None:
    start = parse_start(BLOCKED)
    reply = start.after(PASS).legal_moves()[0]
    text = write_sgf(SgfGame(start, (PASS, reply))).replace(f";{'BW'[start.to_move]}[pass]", "")
    game = only(text)
    assert game.moves == (PASS, reply)
    assert game.notices == ("ply 1: the forced pass is not written",)


def test_a_resignation_ends_the_game() -> None:
    game = only("(;GM[9];B[b1-b3];W[Resign];B[a9])")
    assert game.resigned is Color.WHITE
    assert len(game.moves) == 1
    assert game.notices == ("moves after a resignation skipped",)


def test_what_is_taken_for_granted_is_noticed() -> None:
    assert only("(;IY[TRUE])").notices == (
        "no GM: taken as Lines of Action",
        "IY[true] taken as a matter of display alone",
    )


@pytest.mark.parametrize(
    "setup",
    [
        "SU[Custom]AB[a1:b2][d4]AW[h8][e5]PL[W]",
        "SU[custom]AW[e5]AW[h8]AB[d4][b2:a1]PL[white]",
        "AB[a1:b2][d4]AW[h8][e5]PL[2]",
        "SU[Custom];AB[a1:b2][d4];AW[h8][e5];PL[w]",
        "SU[Custom]AB[a1:b2][d4]AW[h8][e5];W[e5-f5]",
        "SU[Custom]AB[a1:d4];AE[a3:d4][c1:d2];AB[d4]AW[H8][E5]PL[W]",
    ],
)
def test_custom_setups(setup: str) -> None:
    assert str(only(f"(;GM[9]{setup})").start) == "7w/8/8/4w3/3b4/8/bb6/bb6 w"


def test_stones_may_be_set_on_a_named_start() -> None:
    game = only("(;GM[9]SU[Standard]AE[b1]AB[b3])")
    assert str(game.start) == "1bbbbbb1/w6w/w6w/w6w/w6w/wb5w/w6w/2bbbbb1 b"


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "expected ( where a game begins"),
        ("no game at all", 1, "expected ( where a game begins"),
        ("()", 1, "expected ; after ("),
        ("(;GM[9]", 1, "expected ) before the end"),
        ("(;GM[9]\n\nPB[x", 3, "expected ] at the end of a value of PB"),
        ("(;GM[9]PB[x\\])", 1, "expected ] at the end of a value of PB"),
        ("(;GM[9]\nPB)", 2, "expected [ after PB"),
        ("(;GM[9]()\n)", 1, "expected ; after ("),
        ("(;GM[9];B[b1-b3](;W[h4-f2])\n;W[h4-f2])", 2, "no further node after a variation"),
        ("(;GM[9]) and more", 1, "expected ( where a game begins, found 'a'"),
        ("(;GM[9]))", 1, "found ')'"),
        ("(;GM[9]1[x])", 1, "expected ; or ( or ), found '1'"),
        ("(;GM[1])", 1, "expected GM[9]"),
        ("(;GM[9][9])", 1, "expected one value"),
        ("(;GM[9]\nSZ[9])", 2, "size 8"),
        ("(;GM[9]\n\nSU[Parachute])", 3, "'Parachute' is not supported"),
        ("(;GM[9]SU[Gemma])", 1, "'Gemma' is not supported"),
        ("(;GM[9]SU[Custom])", 1, "Black has no pieces; White has no pieces"),
        ("(;GM[9]\nAB[a1:z9])", 2, "a-h and a digit 1-8"),
        ("(;GM[9]\nAB[])", 2, "a-h and a digit 1-8"),
        ("(;GM[9]\nSU[Custom]\nAB[a1:b1]AW[b1][h8])", 3, "1 square holds two pieces"),
        ("(;GM[9]PL[green])", 1, "expected PL[B] or PL[W]"),
        ("(;GM[9];B[b1-b3]\n;AB[d4])", 2, "no AB after the first move"),
        ("(;GM[9]\n;B[b1-b3]\n;W[a1-a2])", 3, "W[a1-a2] is illegal"),
        ("(;GM[9]\n;B[b1-b3]\n;W[pass])", 3, "a pass is legal only when no move is"),
        ("(;GM[9]\n;B[b1-b3]\n;W[draw])", 3, "a move is written b1-b3"),
        ("(;GM[9]\n;B[h8-h8])", 2, "another square"),
        ("(;GM[9]\n;W[a2-c2])", 2, "out of turn, black is to move"),
        ("(;GM[9]\n;B[b1-b3];B[b3-b1])", 2, "out of turn, white is to move"),
        ("(;GM[9]\n;B[b1-b3]W[a2-c2])", 2, "one move in a node"),
        ("(;GM[9]\r\n;B[b1-b3]\r\n;W[x])", 3, "a move is written b1-b3"),
    ],
)
def test_faults_name_the_line(text: str, line: int, why: str) -> None:
    fault = fault_of(text)
    assert fault.line == line
    assert why in fault.why


def test_no_move_after_the_end_of_the_game() -> None:
    record = next(
        r for r in records("real_games", "games") if r["results"]["draw"]["result"] == "w"
    )
    start = parse_start(record["start"])
    text = write_sgf(SgfGame(start, tuple(parse_move(move) for move in record["moves"])))
    assert fault_of(text.replace(")\n", ";B[a1-a2])")).why.endswith("after the end of the game")


@pytest.mark.parametrize(
    "opening", ["(", "(;", "(;B[b1-b3]", "(;GM[9](", "((;", ";", "[", "\\", "(;A["]
)
def test_depth_and_length_are_no_trouble(opening: str) -> None:
    fault_of(opening * 50_000)
    deep = "(;" * 50_000 + ")" * 50_000
    assert only(deep).moves == ()


def test_long_values_are_not_shown_whole() -> None:
    assert len(str(fault_of(f"(;GM[9];B[{'x' * 100_000}])"))) < 300
    assert len(str(fault_of(f"(;GM[{'9' * 100_000}])"))) < 300
    assert len(str(fault_of(f"(;{'X' * 100_000})"))) < 300


def test_games_are_values() -> None:
    game = SgfGame(STANDARD_START)
    with pytest.raises(dataclasses.FrozenInstanceError):
        game.black = "x"  # type: ignore[misc]
