"""Order, seed, first and plies of ``[openings]``: read, written, checked, and in the conditions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import SpecError
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet
from harness.tournament.config import load_spec, spec_from_flags, spec_to_toml
from harness.tournament.opening_announcement import AnnouncedOpenings
from harness.tournament.openings import opening_list, openings_identity
from harness.tournament.spec import OpeningOrder, OpeningSource, TournamentSpec

RULES = RuleSet(max_plies=400)
BOTS = '[[bot]]\nname = "one"\nmodule = "x"\n[[bot]]\nname = "two"\nmodule = "x"\n'
LINES = ["b1-b3", "c1-c3", "d1-d3", "e1-e3", "f1-f3"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "o.txt"
    path.write_text("\n".join(LINES))
    return path


def load(folder: Path, openings: str) -> TournamentSpec:
    path = folder / "spec.toml"
    path.write_text(f"{BOTS}[openings]\n{openings}\n")
    return load_spec(path)


def problem_of(folder: Path, openings: str) -> str:
    with pytest.raises(SpecError) as caught:
        load(folder, openings)
    (problem,) = caught.value.problems
    return str(problem)


def firsts(source: OpeningSource, seed: int = 1, count: int = 7) -> list[str]:
    openings = opening_list(source, RULES, seed, count)
    return [opening.text.split()[2] for opening in openings]


def test_every_key_is_read_and_written(tmp_path: Path, file: Path) -> None:
    spec = load(tmp_path, 'file = "o.txt"\norder = "random"\nseed = 9\nfirst = 3\nplies = 1')
    assert spec.openings == OpeningSource(
        STANDARD_START, "standard", 4, str(file), OpeningOrder.RANDOM, 9, 3, 1
    )
    (tmp_path / "spec.toml").write_text(spec_to_toml(spec))
    assert load_spec(tmp_path / "spec.toml").openings == spec.openings
    own_seed = load(tmp_path, "seed = 0")
    assert own_seed.openings == OpeningSource(STANDARD_START, seed=0)
    plain = spec_to_toml(load(tmp_path, 'file = "o.txt"'))
    assert '[openings]\nstart = "standard"\nfile = "o.txt"\n\n' in plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('order = "random"', "line 8, openings.order: does nothing without file"),
        ("first = 2", "line 8, openings.first: does nothing without file"),
        ("plies = 2", "line 8, openings.plies: does nothing without file"),
        ('file = "o.txt"\nseed = 2', 'openings.seed: does nothing without order = "random"'),
        ('file = "o.txt"\norder = "odd"', 'line 9, openings.order: expected "file" or "random"'),
        ('file = "o.txt"\nfirst = 0', "line 9, openings.first: expected a whole number from 1"),
        ('file = "o.txt"\nfirst = 6', "the file has 5 openings, there is no number 6"),
        ('file = "o.txt"\nplies = 0', "line 9, openings.plies: expected a whole number from 1"),
        ("seed = -1", "line 8, openings.seed: expected a whole number from 0"),
    ],
)
def test_a_problem_has_its_line_and_key(
    tmp_path: Path, file: Path, text: str, expected: str
) -> None:
    assert file.exists()
    assert expected in problem_of(tmp_path, text)


def test_flags_are_the_keys_and_go_before_the_file(tmp_path: Path, file: Path) -> None:
    flags = spec_from_flags(
        ["one=./x", "two=./y"],
        folder=tmp_path,
        openings="o.txt",
        opening_order="random",
        opening_seed=9,
        first_opening=3,
        opening_plies=1,
    )
    assert (
        flags.openings
        == load(
            tmp_path, 'file = "o.txt"\norder = "random"\nseed = 9\nfirst = 3\nplies = 1'
        ).openings
    )
    path = tmp_path / "spec.toml"
    assert load_spec(path, random_plies=2).openings == OpeningSource(
        STANDARD_START, "standard", 2, seed=9
    )
    with pytest.raises(SpecError, match="--first-opening: the file has 5 openings"):
        load_spec(path, first_opening=6)


def test_the_order_of_the_file_begins_where_it_is_told(file: Path) -> None:
    source = OpeningSource(STANDARD_START, file=str(file))
    assert firsts(source) == ["b1-b3", "c1-c3", "d1-d3", "e1-e3", "f1-f3", "b1-b3", "c1-c3"]
    assert firsts(replace(source, first=4), count=3) == ["e1-e3", "f1-f3", "b1-b3"]


def test_a_random_order_follows_from_its_seed_and_continues(file: Path) -> None:
    source = OpeningSource(STANDARD_START, file=str(file), order=OpeningOrder.RANDOM)
    assert sorted(firsts(source, count=5)) == LINES
    assert firsts(source, count=5) != LINES
    assert firsts(source, seed=4) == firsts(replace(source, seed=4), seed=1)
    orders = {tuple(firsts(source, seed)) for seed in range(20)}
    assert len(orders) > 15
    assert firsts(source, count=3) == firsts(source, count=5)[:3]
    assert firsts(replace(source, first=2), count=4) == firsts(source, count=5)[1:]


def test_the_random_order_of_seed_1_stays_what_it_is(file: Path) -> None:
    # Stored tournaments depend on it.
    source = OpeningSource(STANDARD_START, file=str(file), order=OpeningOrder.RANDOM)
    assert firsts(source, count=5) == ["d1-d3", "f1-f3", "e1-e3", "c1-c3", "b1-b3"]


def test_identities_stay_what_they_were_and_tell_what_is_new(file: Path) -> None:
    source = OpeningSource(STANDARD_START, file=str(file))
    plain = openings_identity(source, RULES, 1)
    assert plain == "file of 5 openings, contents 9d343a8fcd06c2e4"
    assert openings_identity(source, RULES, 2) == plain
    shuffled = replace(source, order=OpeningOrder.RANDOM)
    assert openings_identity(shuffled, RULES, 2) == f"{plain}, in random order by seed 2"
    assert openings_identity(replace(source, first=3), RULES, 1) == f"{plain}, from opening 3"
    assert openings_identity(replace(source, plies=1), RULES, 1) == plain  # one ply is all
    generated = OpeningSource(STANDARD_START)
    assert openings_identity(generated, RULES, 3) == (
        "generated (version 1), seed 3, 4 random plies from "
        "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b"
    )
    own = replace(generated, seed=3)
    assert openings_identity(own, RULES, 1) == openings_identity(generated, RULES, 3)
    assert list(opening_list(own, RULES, 1, 3)) == list(opening_list(generated, RULES, 3, 3))


# Saying that they come again


def test_many_openings_are_not_counted_before_they_are_played() -> None:
    openings = opening_list(OpeningSource(STANDARD_START), RULES, 1, 20_000)
    assert openings.notice(10_000) is None
    assert openings.notice(10_001) == (
        "At most 10000 openings are generated for 10001 game pairs: then they are played again."
    )
    assert openings.available is None


def test_the_first_repetition_is_announced_once() -> None:
    told: list[str] = []
    plain = opening_list(OpeningSource(STANDARD_START, random_plies=1), RULES, 1, 20)
    openings = AnnouncedOpenings(plain, 12, told.append)
    assert [openings[number] for number in range(9)] == [plain[number] for number in range(9)]
    assert told == []
    assert openings[9] == plain[0]
    assert told == [
        "There are 9 different openings for 12 game pairs: each is played up to 2 times."
    ]
    assert openings[30] == plain[3]
    assert len(told) == 1
    assert len(openings) == len(list(openings)) == 20
    assert (openings.identity, openings.distinct) == (plain.identity, 9)


def test_more_pairs_than_were_planned_are_announced_too(file: Path) -> None:
    told: list[str] = []
    source = OpeningSource(STANDARD_START, file=str(file))
    openings = AnnouncedOpenings(opening_list(source, RULES, 1, 3), 3, told.append)
    assert openings[5] == openings[0]
    assert told == ["There are 5 openings for 6 game pairs: each is played up to 2 times."]
    assert openings.notice(5) is None
    assert openings.available == 5
