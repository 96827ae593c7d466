from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import SpecError
from harness.play.adjudication import Adjudication, DrawRule, ResignRule
from harness.tournament.adjudication_table import ADJUDICATION_KEYS, adjudication_values
from harness.tournament.conditions import conditions, derived_name, differences
from harness.tournament.config import load_spec, spec_from_flags, spec_to_toml
from harness.tournament.spec import TournamentSpec

BOTS = """
[[bot]]
name = "one"
module = "bots.greedy_bot"
[[bot]]
name = "two"
module = "bots.random_bot"
"""
CONDITIONS_WITHOUT = [
    "format",
    "time-control",
    "margin-ms",
    "max-think-ms",
    "seed",
    "max-plies",
    "simultaneous",
    "no-moves",
    "repetition",
    "openings",
]


def load(folder: Path, table: str) -> TournamentSpec:
    path = folder / "spec.toml"
    path.write_text(f"[adjudication]\n{table}\n{BOTS}")
    return load_spec(path)


@pytest.mark.parametrize(
    ("table", "setting"),
    [
        ("", Adjudication()),
        ("draw-score = 0", Adjudication()),
        ("resign-score = 0", Adjudication()),
        ("draw-score = 0\ndraw-count = 3\ndraw-ply = 9", Adjudication()),
        ("draw-score = 20", Adjudication(DrawRule(20, 8, 0))),
        ("draw-score = 20\ndraw-count = 1", Adjudication(DrawRule(20, 1, 0))),
        ("draw-score = 20\ndraw-ply = 30", Adjudication(DrawRule(20, 8, 30))),
        ("resign-score = 500", Adjudication(resign=ResignRule(500, 4, needs_both=True))),
        ("resign-score = 500\nresign-both = true", Adjudication(resign=ResignRule(500, 4))),
        (
            "resign-score = 500\nresign-count = 2\nresign-both = false",
            Adjudication(resign=ResignRule(500, 2, needs_both=False)),
        ),
        (
            "draw-score = 499\nresign-score = 500",
            Adjudication(DrawRule(499, 8), ResignRule(500, 4)),
        ),
        ("draw-score = 1000000", Adjudication(DrawRule(1_000_000, 8))),
    ],
)
def test_the_table_is_read_and_written(tmp_path: Path, table: str, setting: Adjudication) -> None:
    spec = load(tmp_path, table)
    assert spec.adjudication == setting
    text = spec_to_toml(spec)
    assert ("[adjudication]" in text) is setting.is_on
    (tmp_path / "spec.toml").write_text(text)
    assert load_spec(tmp_path / "spec.toml").adjudication == setting


def test_without_the_table_it_is_off(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(BOTS)
    assert not load_spec(tmp_path / "spec.toml").adjudication.is_on


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("draw-score = -1", "line 2, adjudication.draw-score: expected a whole number from 0 to"),
        ("draw-score = 1000001", "draw-score: expected a whole number from 0 to 1000000, found"),
        ("draw-score = 0.5", "found the number 0.5"),
        ("draw-score = 5\ndraw-count = 0", "line 3, adjudication.draw-count: expected"),
        ("draw-score = 5\ndraw-ply = -1", "line 3, adjudication.draw-ply: expected"),
        ("resign-score = true", "line 2, adjudication.resign-score: expected a whole number"),
        ("resign-score = 5\nresign-count = 1001", "from 1 to 1000, found 1001"),
        ("resign-score = 5\nresign-both = 1", "resign-both: expected true or false, found"),
        ("draw-count = 3", "line 2, adjudication.draw-count: does nothing without draw-score"),
        ("draw-ply = 0", "line 2, adjudication.draw-ply: does nothing without draw-score"),
        ("resign-count = 3", "adjudication.resign-count: does nothing without resign-score"),
        ("resign-both = false", "adjudication.resign-both: does nothing without resign-score"),
        (
            "draw-score = 500\nresign-score = 500",
            "line 2, adjudication.draw-score: the score of a draw is below resign-score, 500, "
            "not 500",
        ),
        ("draw_score = 5", 'unknown key; did you mean "draw-score"?'),
        ("max-plies = 5", "unknown key; it belongs into [tournament]"),
    ],
)
def test_a_problem_is_reported_alone_with_its_place(
    tmp_path: Path, table: str, problem: str
) -> None:
    with pytest.raises(SpecError) as caught:
        load(tmp_path, table)
    (found,) = map(str, caught.value.problems)
    assert problem in found


def test_keys_in_the_wrong_table_are_sent_home(tmp_path: Path) -> None:
    for key in ADJUDICATION_KEYS:
        (tmp_path / "spec.toml").write_text(f"[rules]\n{key} = 1\n{BOTS}")
        with pytest.raises(SpecError, match=r"it belongs into \[adjudication\]"):
            load_spec(tmp_path / "spec.toml")


def test_flags_make_the_same_setting_as_a_file(tmp_path: Path) -> None:
    bots = ["greedy", "random"]
    spec = spec_from_flags(
        bots,
        folder=tmp_path,
        draw_score=20,
        draw_count=3,
        draw_ply=40,
        resign_score=500,
        resign_count=2,
        resign_both=False,
    )
    setting = Adjudication(DrawRule(20, 3, 40), ResignRule(500, 2, needs_both=False))
    assert spec.adjudication == setting
    assert not spec_from_flags(bots, folder=tmp_path).adjudication.is_on
    with pytest.raises(SpecError) as caught:
        spec_from_flags(bots, folder=tmp_path, draw_count=3, resign_both=False)
    assert [str(problem) for problem in caught.value.problems] == [
        "--draw-count: does nothing without draw-score",
        "--resign-both: does nothing without resign-score",
    ]


def test_flags_go_before_the_file_and_switch_a_rule_off(tmp_path: Path) -> None:
    load(tmp_path, "draw-score = 20\ndraw-count = 3\nresign-score = 500")
    path = tmp_path / "spec.toml"
    assert load_spec(path, draw_score=30).adjudication.draw == DrawRule(30, 3)
    assert load_spec(path, draw_score=0).adjudication == Adjudication(resign=ResignRule(500, 4))
    lone = load_spec(path, resign_both=False).adjudication.resign
    assert lone == ResignRule(500, 4, needs_both=False)


def test_it_is_a_condition_only_where_it_is_on(tmp_path: Path) -> None:
    off, on = load(tmp_path, ""), load(tmp_path, "draw-score = 20\nresign-score = 500")
    assert list(conditions(off, "x")) == CONDITIONS_WITHOUT
    assert adjudication_values(off.adjudication) == {}
    assert [str(problem) for problem in differences(conditions(off, "x"), conditions(on, "x"))] == [
        "draw-score: stored none, now 20",
        "draw-count: stored none, now 8",
        "draw-ply: stored none, now 0",
        "resign-score: stored none, now 500",
        "resign-count: stored none, now 4",
        "resign-both: stored none, now true",
    ]
    alone = load(tmp_path, "draw-score = 20\nresign-score = 500\nresign-both = false")
    (problem,) = differences(conditions(on, "x"), conditions(alone, "x"))
    assert str(problem) == "resign-both: stored true, now false"
    assert derived_name(off) == derived_name(replace(on, adjudication=Adjudication()))
    assert len({derived_name(off), derived_name(on), derived_name(alone)}) == 3
