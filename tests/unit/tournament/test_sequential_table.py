from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import SpecError
from harness.tournament.conditions import conditions, derived_name
from harness.tournament.config import load_spec, spec_from_flags, spec_to_toml
from harness.tournament.sequential_table import ElosAre, SequentialTerms
from harness.tournament.spec import TournamentSpec

BOTS = """
[[bot]]
name = "old"
module = "bots.random_bot"
[[bot]]
name = "new"
module = "bots.greedy_bot"
"""


def _load(folder: Path, text: str) -> TournamentSpec:
    path = folder / "t.toml"
    path.write_text(text)
    return load_spec(path)


def test_without_a_table_there_is_no_test(tmp_path: Path) -> None:
    spec = _load(tmp_path, BOTS)
    assert spec.test is None
    assert "test" not in conditions(spec, "o")


def test_an_empty_table_has_the_usual_terms(tmp_path: Path) -> None:
    spec = _load(tmp_path, "[test]\n" + BOTS)
    assert spec.test == SequentialTerms(0.0, 20.0, 0.05, 0.05, ElosAre.NORMALIZED)


def test_terms_survive_being_written(tmp_path: Path) -> None:
    text = '[test]\nelo0 = -3\nelo1 = 7.5\nalpha = 0.01\nbeta = 0.1\nmodel = "logistic"\n'
    spec = _load(tmp_path, text + BOTS)
    assert spec.test == SequentialTerms(-3.0, 7.5, 0.01, 0.1, ElosAre.LOGISTIC)
    assert _load(tmp_path, spec_to_toml(spec)) == spec


def test_terms_are_conditions_and_change_the_derived_name(tmp_path: Path) -> None:
    one = spec_from_flags(("random", "greedy"), folder=tmp_path, elo0=0, elo1=20)
    other = spec_from_flags(("random", "greedy"), folder=tmp_path, elo0=0, elo1=21)
    none = spec_from_flags(("random", "greedy"), folder=tmp_path)
    assert conditions(one, "o") != conditions(other, "o")
    assert len({derived_name(spec) for spec in (one, other, none)}) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("elo0 = 20\nelo1 = 20", "elo0, 20, must be below elo1, 20"),
        ("elo0 = 30", "must be below elo1, 20"),
        ("elo1 = 3000", "a number from -2000 to 2000, found 3000"),
        ("elo1 = nan", "a number from -2000 to 2000, found nan"),
        ("alpha = 0", "a number from 1e-06 to 0.499"),
        ("beta = 0.5", "a number from 1e-06 to 0.499"),
        ("alpha = true", "found true"),
        ('elo1 = "20"', "found the string '20'"),
        ('model = "bayesian"', '"normalized" or "logistic"'),
        ("pairs = 3", "unknown key"),
    ],
)
def test_wrong_terms_are_noted(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SpecError) as refused:
        _load(tmp_path, f"[test]\n{text}\n{BOTS}")
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOTS + '[[bot]]\nname = "third"\nmodule = "bots.random_bot"\n', "between two bots"),
        ('[tournament]\nformat = "swiss"\n' + BOTS, "a round-robin of two, not a swiss"),
        ("[tournament]\ncycles = 2\n" + BOTS, "one cycle"),
    ],
)
def test_a_test_is_of_two_bots_that_meet(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SpecError) as refused:
        _load(tmp_path, f"{text}[test]\nelo1 = 10\n")
    assert words in str(refused.value)
