from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from harness.errors import SpecError
from harness.play.types import Opening
from harness.rules.game import Game
from harness.rules.notation import format_fen, format_moves, parse_fen, parse_move
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START
from harness.rules.types import NoMovesRule, RuleSet
from harness.tournament.openings import OpeningList, opening_list, openings_identity
from harness.tournament.spec import OpeningSource

RULES = RuleSet(max_plies=400)
STANDARD_FEN = "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b"


def generated(plies: int, count: int, seed: int = 1) -> OpeningList:
    return opening_list(OpeningSource(STANDARD_START, random_plies=plies), RULES, seed, count)


def from_file(path: Path, text: str | bytes, count: int = 10) -> OpeningList:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return opening_list(OpeningSource(STANDARD_START, file=str(path)), RULES, 1, count)


# Generated


def test_the_first_openings_of_seed_1_stay_what_they_are() -> None:
    # Stored tournaments depend on them: with another list GENERATOR_VERSION has to be raised.
    texts = [" ".join(format_moves(o.start, o.moves)) for o in generated(4, 3)]
    assert texts == [
        "e8-e6 h4-f2 c8-h8 h7-f7",
        "c1-e3 a7-c7 g1-g3 a6-c4",
        "e8-g6 h2-f2 c8-e6 h6xf8",
    ]
    contents = "\n".join(opening.text for opening in generated(4, 300))
    assert hashlib.sha256(contents.encode()).hexdigest()[:16] == "b4ac05ba7f645d06"


def test_no_random_plies_give_the_start_again_and_again() -> None:
    openings = generated(0, 5)
    assert list(openings) == [Opening(STANDARD_START)] * 5
    assert openings.distinct == 1
    assert openings.notice() == (
        "There is 1 opening for 5 game pairs: each is played up to 5 times."
    )
    assert openings.notice(1) is None


def test_a_short_list_wraps_and_says_so() -> None:
    # One ply from the start: 36 moves, two mirrors of the start, hence 9 different positions.
    openings = generated(1, 1000)
    assert openings.distinct == 9
    assert [openings[number] for number in range(9, 18)] == [openings[n] for n in range(9)]
    assert "9 different openings for 1000 game pairs" in (openings.notice() or "")
    assert openings.notice(9) is None


def test_only_what_is_asked_for_is_generated() -> None:
    openings = generated(4, 10_000_000)
    assert len(openings) == 10_000_000
    assert len(openings[4].moves) == 4
    with pytest.raises(IndexError):
        openings[-1]


def test_more_openings_than_the_most_wrap() -> None:
    openings = generated(4, 10)
    assert openings[10_003] == openings[3]
    assert "10000 different openings for 10001" in (openings.notice(10_001) or "")
    assert openings.notice(10_000) is None


def test_a_start_without_an_opening_is_an_error_and_no_endless_search() -> None:
    # Whatever Black plays first, White cannot stop its two pieces from meeting.
    start = parse_fen("8/8/2b5/8/4b3/8/8/w6w b").position()
    with pytest.raises(SpecError, match="random plies"):
        opening_list(OpeningSource(start, random_plies=1), RULES, 1, 1)


def test_a_start_that_the_no_move_rule_decides_is_refused() -> None:
    start = parse_fen("bww5/ww6/w1w5/8/8/5w1w/6ww/5wwb b").position()  # Black is blocked
    source = OpeningSource(start, random_plies=0)
    with pytest.raises(SpecError):
        opening_list(source, RuleSet(no_moves=NoMovesRule.LOSS), 1, 1)
    assert opening_list(source, RULES, 1, 1)[0].start == start


def test_identities_differ_by_all_that_changes_the_list() -> None:
    sources = [
        (OpeningSource(STANDARD_START), 1),
        (OpeningSource(STANDARD_START), 2),
        (OpeningSource(STANDARD_START, random_plies=5), 1),
        (OpeningSource(SCRAMBLED_EGGS_START), 1),
    ]
    identities = [openings_identity(source, RULES, seed) for source, seed in sources]
    assert len(set(identities)) == 4
    for (source, seed), identity in zip(sources, identities, strict=True):
        assert opening_list(source, RULES, seed, 7).identity == identity


# From a file


def test_every_form_of_a_line_is_read(tmp_path: Path) -> None:
    fen = format_fen(SCRAMBLED_EGGS_START)
    text = (
        "\ufeff# comment\r\n"
        "\r\n"
        f"{STANDARD_FEN}\r\n"
        "b1-b3 h4-f2\r\n"
        "  B1B3, H4:F2 # the same\r\n"
        "1. b1 b3 h4 f2 2. d1xa4\r\n"
        f"{fen} a7-c7\r\n"
        "scrambled-eggs a7-c7\r\n"
        "standard"
    )
    openings = from_file(tmp_path / "openings.txt", text)
    b1b3, h4f2, d1a4, a7c7 = (parse_move(move) for move in ("b1b3", "h4f2", "d1a4", "a7c7"))
    two = Opening(STANDARD_START, (b1b3, h4f2))
    three = Opening(STANDARD_START, (b1b3, h4f2, d1a4))
    eggs = Opening(SCRAMBLED_EGGS_START, (a7c7,))
    start = Opening(STANDARD_START)
    assert [openings[number] for number in range(7)] == [start, two, two, three, eggs, eggs, start]
    assert openings[7] == start
    assert openings.distinct == 4
    assert openings.notice() == (
        "There are 7 openings for 10 game pairs: each is played up to 2 times. "
        "The file of openings repeats itself: line 5 repeats line 4; line 8 repeats line 7; "
        "line 9 repeats line 3."
    )


def test_moves_begin_at_the_start_of_the_source(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("a7-c7\n")
    source = OpeningSource(SCRAMBLED_EGGS_START, file=str(path))
    assert opening_list(source, RULES, 1, 1)[0].start == SCRAMBLED_EGGS_START


def test_every_bad_line_is_reported_with_its_number(tmp_path: Path) -> None:
    text = "\n".join(
        [
            "b1-b3 h4-f2",
            "b1-b4",
            "hello",
            "b1",
            "8/8/8 b",
            "bb6/8/8/8/8/8/8/w6w b",
            "8/8/8/3b4/8/3b4/8/w1w5 b d3-d4",
            "# fine",
            "s",
            "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1",
        ]
    )
    with pytest.raises(SpecError) as caught:
        from_file(tmp_path / "bad.txt", text)
    problems = caught.value.problems
    assert [problem.place for problem in problems] == [
        f"line {number}" for number in (2, 3, 4, 5, 6, 7, 9, 10)
    ]
    assert caught.value.source.endswith("bad.txt")


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"", "no opening"), (b"# nothing\n", "no opening"), (b"b1-b3\n\xff\n", "UTF-8")],
)
def test_a_file_without_openings_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    with pytest.raises(SpecError, match=why):
        from_file(tmp_path / "empty.txt", data)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.txt", tmp_path / "nul\0"):
        with pytest.raises(SpecError):
            opening_list(OpeningSource(STANDARD_START, file=str(path)), RULES, 1, 1)


def test_many_bad_lines_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        from_file(tmp_path / "bad.txt", "rubbish\n" * 1000)
    assert len(caught.value.problems) == 51
    assert "950 more" in caught.value.problems[-1].message


def test_the_identity_is_the_contents(tmp_path: Path) -> None:
    one = from_file(tmp_path / "one.txt", "b1-b3 h4-f2\nc1-c3\n").identity
    assert from_file(tmp_path / "two.txt", "# other words\nB1B3 h4f2\r\nc1c3").identity == one
    assert from_file(tmp_path / "three.txt", "c1-c3\nb1-b3 h4-f2\n").identity != one


def test_the_ply_limit_decides_a_line(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("b1-b3 h4-f2\n")
    source = OpeningSource(STANDARD_START, file=str(path))
    with pytest.raises(SpecError, match="max-plies"):
        opening_list(source, RuleSet(max_plies=2), 1, 1)
    assert Game(STANDARD_START, RuleSet(max_plies=2)).verdict is None


def test_the_no_move_rule_decides_a_line(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("bww5/ww6/w1w5/8/8/5w1w/6ww/5wwb b\n")  # Black is blocked
    source = OpeningSource(STANDARD_START, file=str(path))
    assert opening_list(source, RULES, 1, 1)[0].moves == ()
    with pytest.raises(SpecError, match=r"line 1: .*no-moves"):
        opening_list(source, RuleSet(no_moves=NoMovesRule.LOSS), 1, 1)


def test_a_file_of_very_many_openings_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.tournament.opening_file.MAX_FILE_OPENINGS", 3)
    assert from_file(tmp_path / "three.txt", "b1-b3\n" * 3).available == 3
    for name, text in (("four.txt", "b1-b3\n# a comment\n" * 4), ("x.sgf", "(;GM[9])" * 4)):
        with pytest.raises(SpecError, match="holds more than 3 openings"):
            from_file(tmp_path / name, text)
