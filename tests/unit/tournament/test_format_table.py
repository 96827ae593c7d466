from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import SpecError
from harness.play.clock import TimeControl
from harness.tournament.config import load_spec, spec_from_flags, spec_to_toml
from harness.tournament.spec import EncounterSpec, TournamentFormat, TournamentSpec

BOTS = """
[[bot]]
name = "a"
module = "bots.random_bot"
[[bot]]
name = "b"
module = "bots.random_bot"
[[bot]]
name = "b.fast"
module = "bots.random_bot"
"""
LIST = """
[[encounter]]
bots = ["b", "a"]
rounds = 20
time-control = "1+0.01"
label = "quick"
[[encounter]]
bots = ["a", "b.fast"]
"""


def load(folder: Path, text: str) -> TournamentSpec:
    path = folder / "t.toml"
    path.write_text(text)
    return load_spec(path)


def problems_of(folder: Path, text: str) -> list[str]:
    with pytest.raises(SpecError) as caught:
        load(folder, text)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "form", "values"),
    [
        ('format = "gauntlet"\nseeds = 2\ncycles = 3', "gauntlet", (3, 2, None, 4)),
        ('format = "swiss"', "swiss", (1, 1, None, 4)),
        ('format = "swiss"\nswiss-rounds = 5', "swiss", (1, 1, 5, 4)),
        ('format = "knock-out"\ntie-break-pairs = 0', "knock-out", (1, 1, None, 0)),
        ("", "round-robin", (1, 1, None, 4)),
    ],
)
def test_formats_and_their_keys(
    tmp_path: Path, text: str, form: str, values: tuple[object, ...]
) -> None:
    spec = load(tmp_path, f"[tournament]\n{text}\n{BOTS}")
    assert spec.format is TournamentFormat(form)
    assert (spec.cycles, spec.seeds, spec.swiss_rounds, spec.tie_break_pairs) == values
    assert load(tmp_path, spec_to_toml(spec)) == spec


def test_encounters_make_a_list(tmp_path: Path) -> None:
    spec = load(tmp_path, BOTS + LIST)
    assert spec.format is TournamentFormat.LIST
    assert spec.encounters == (
        EncounterSpec(("b", "a"), 20, TimeControl.parse("1+0.01"), "quick"),
        EncounterSpec(("a", "b.fast")),
    )
    assert load(tmp_path, spec_to_toml(spec)) == spec


def test_a_round_robin_is_written_as_before(tmp_path: Path) -> None:
    text = spec_to_toml(load(tmp_path, BOTS))
    for word in ("cycles", "seeds", "swiss-rounds", "tie-break-pairs", "encounter"):
        assert word not in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tournament]\nseeds = 2", 'line 12, tournament.seeds: is for format = "gauntlet"'),
        ("[tournament]\nswiss-rounds = 2", 'is for format = "swiss", this is "round-robin"'),
        ('[tournament]\nformat = "swiss"\ntie-break-pairs = 2', 'is for format = "knock-out"'),
        ("[tournament]\ncycles = 0", "from 1 to 1000"),
        ('[tournament]\nformat = "gauntlet"\nseeds = 3', "3 seeds leave none of 3 bots to meet"),
        ('[tournament]\nformat = "list"', "tournament.format: a list needs [[encounter]] tables"),
        ('[tournament]\nformat = "swiss"' + LIST, '[[encounter]] is for format = "list"'),
        ("[rules]\ncycles = 3", "unknown key; it belongs into [tournament]"),
        (
            "[[encounter]]\nrounds = 2",
            'line 11, encounter[1]: an encounter needs bots = ["A", "B"]',
        ),
        ('[[encounter]]\nbots = ["a"]', "an encounter is of two different bots"),
        ('[[encounter]]\nbots = ["a", "a"]', "an encounter is of two different bots"),
        ('[[encounter]]\nbots = ["a", 3]', "expected a string"),
        (
            '[[encounter]]\nbots = ["a", "bb"]',
            "line 12, encounter[1].bots[2]: no bot is called 'bb'; did you mean \"b\"?",
        ),
        ('[[encounter]]\nbots = ["a", "b"]\nrounds = 0', "from 1 to 1000000"),
        ('[[encounter]]\nbots = ["a", "b"]\ntime-control = "x"', "encounter[1].time-control"),
        ('[[encounter]]\nbots = ["a", "b"]\nlabel = "a.b"', "a label is 1 to 64 of"),
        ('[[encounter]]\nbots = ["a", "b"]\nlabel = ""', "a label is 1 to 64 of"),
        ('[[encounter]]\nbots = ["a", "b"]\nround = 1', 'did you mean "rounds"?'),
        (
            '[[encounter]]\nbots = ["a", "b"]\n[[encounter]]\nbots = ["b", "a"]',
            "line 13, encounter[2].label: a~b is encounter 1; a label of its own tells it apart",
        ),
        (
            '[[encounter]]\nbots = ["a", "b"]\nlabel = "fast"',
            "a~b.fast would also be the name of an encounter of b.fast: take another label",
        ),
    ],
)
def test_a_problem_is_reported_alone_with_its_place(
    tmp_path: Path, text: str, expected: str
) -> None:
    problems = problems_of(tmp_path, BOTS + text + "\n")
    assert len(problems) == 1, problems
    assert expected in problems[0]


def test_flags_make_the_same_spec_as_a_file(tmp_path: Path) -> None:
    bots = ["a=random", "b=random", "c=random"]
    spec = spec_from_flags(bots, folder=tmp_path, format="gauntlet", seeds=2, cycles=3)
    assert (spec.format, spec.seeds, spec.cycles) == (TournamentFormat.GAUNTLET, 2, 3)
    other = spec_from_flags(bots, folder=tmp_path, format="gauntlet")
    assert other.name != spec.name
    more = spec_from_flags(bots, folder=tmp_path, format="swiss", swiss_rounds=9)
    assert more.name == spec_from_flags(bots, folder=tmp_path, format="swiss").name


def test_wrong_flags_are_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        spec_from_flags(
            ["random", "b=random"],
            folder=tmp_path,
            format="gauntlet",
            cycles=0,
            seeds=2,
            swiss_rounds=1,
            tie_break_pairs=-1,
        )
    places = [problem.place for problem in caught.value.problems]
    assert sorted(set(places)) == ["--cycles", "--seeds", "--swiss-rounds", "--tie-break-pairs"]
