from __future__ import annotations

from harness.play.types import Opening
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet
from harness.tournament.opening_generator import MAX_OPENINGS, OpeningGenerator
from harness.tournament.opening_maker import MakingEnd, make_openings
from harness.tournament.opening_text import made_openings_lines, opening_line

RULES = RuleSet(max_plies=400)


def generator(plies: int, most: int = MAX_OPENINGS) -> OpeningGenerator:
    return OpeningGenerator(STANDARD_START, plies, RULES, 1, most)


def test_balanced_openings_are_kept_in_the_order_of_the_generator() -> None:
    scores = iter([51, -50, 50, 10**18, 0])
    told: list[tuple[int, int]] = []
    made = make_openings(
        generator(4), lambda _: next(scores), 50, 3, lambda kept, tried: told.append((kept, tried))
    )
    assert [judged.score_cp for judged in made.kept] == [-50, 50, 0]
    assert (made.tried, made.end) == (5, MakingEnd.COMPLETE)
    assert told == [(0, 1), (1, 2), (2, 3), (2, 4), (3, 5)]
    expected = generator(4)
    expected.extend(5)
    assert [judged.opening for judged in made.kept] == [expected.found[n] for n in (1, 2, 4)]


def test_a_small_supply_is_exhausted() -> None:
    # One ply from the start: nine openings, see test_openings.
    made = make_openings(generator(1), lambda _: 0, 50, 10)
    assert (len(made.kept), made.tried, made.end) == (9, 9, MakingEnd.EXHAUSTED)
    assert make_openings(generator(1), lambda _: 0, 50, 9).end is MakingEnd.COMPLETE
    assert make_openings(generator(0), lambda _: 0, 50, 2).kept[0].opening == Opening(
        STANDARD_START
    )


def test_a_judge_that_likes_nothing_ends_the_search() -> None:
    made = make_openings(generator(4), lambda _: 51, 50, 1)
    assert (made.kept, made.tried, made.end) == ((), 1_000, MakingEnd.FRUITLESS)


def test_a_generator_of_a_greater_list_begins_with_the_same_openings() -> None:
    short, long = generator(4, 3), generator(4, 6)
    short.extend(10)
    long.extend(10)
    assert (len(short.found), short.exhausted) == (3, True)
    assert long.found[:3] == short.found
    assert len(long.found) == 6


def test_a_line_names_its_start_and_a_file_has_a_head() -> None:
    made = make_openings(generator(2), lambda _: 7, 50, 1)
    line = opening_line(made.kept[0].opening)
    assert line.split()[0] == "standard"
    assert len(line.split()) == 3
    assert list(made_openings_lines(made, "one\ntwo")) == [
        "# one\n",
        "# two\n",
        f"{line}  # +7 cp\n",
    ]
