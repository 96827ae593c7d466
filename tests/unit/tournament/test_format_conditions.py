from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.play.clock import TimeControl
from harness.tournament.conditions import conditions, differences
from harness.tournament.format_conditions import (
    bound_encounters,
    format_conditions,
    with_former_encounters,
)
from harness.tournament.spec import EncounterSpec, TournamentFormat, TournamentSpec
from tests.unit.tournament.tables import spec_of


def of(spec: TournamentSpec) -> dict[str, object]:
    stored: dict[str, object] = json.loads(json.dumps(conditions(spec, "")))
    return stored


def listed(*encounters: EncounterSpec) -> dict[str, object]:
    return of(spec_of("abc", "list", encounters=encounters))


def test_a_round_robin_has_the_conditions_it_always_had() -> None:
    assert list(of(spec_of("ab", "round-robin"))) == [
        "format", "time-control", "margin-ms", "max-think-ms", "seed", "max-plies",
        "simultaneous", "no-moves", "repetition", "openings",
    ]  # fmt: skip
    assert format_conditions(spec_of("ab", "swiss")) == {}


@pytest.mark.parametrize("form", [member.value for member in TournamentFormat])
def test_extent_is_no_condition(form: str) -> None:
    spec = spec_of("abc", form)
    more = replace(
        spec, rounds=9, cycles=9, swiss_rounds=9, bots=(*spec.bots, *spec_of("d", form).bots)
    )
    assert differences(of(spec), of(more)) == []


def test_what_changes_who_meets_whom_is_a_condition() -> None:
    gauntlet = spec_of("abc", "gauntlet")
    (problem,) = differences(of(gauntlet), of(replace(gauntlet, seeds=2)))
    assert str(problem) == 'seeds: stored ["a"], now ["a", "b"]'
    (problem,) = differences(of(gauntlet), of(spec_of("bac", "gauntlet")))
    assert problem.place == "seeds"
    knock_out = spec_of("abc", "knock-out")
    (problem,) = differences(of(knock_out), of(replace(knock_out, tie_break_pairs=5)))
    assert str(problem) == "tie-break-pairs: stored 4, now 5"
    places = [problem.place for problem in differences(of(gauntlet), of(knock_out))]
    assert places == ["format", "seeds", "tie-break-pairs"]


def test_encounters_come_and_go_but_keep_their_settings() -> None:
    one = EncounterSpec(("a", "b"), 5)
    fast = EncounterSpec(("b", "a"), 5, TimeControl.parse("1"), "fast")
    assert differences(*bound_encounters(listed(one), listed(fast, one))) == []
    assert differences(*bound_encounters(listed(one, fast), listed(replace(one, rounds=9)))) == []
    slower = replace(fast, time_control=TimeControl.parse("2"))
    (problem,) = differences(*bound_encounters(listed(one, fast), listed(slower)))
    assert str(problem) == "encounters.a~b.fast.time-control: stored 1, now 2"


def test_an_encounter_that_was_taken_out_binds_when_it_comes_back() -> None:
    one = EncounterSpec(("a", "b"))
    fast = EncounterSpec(("b", "a"), None, TimeControl.parse("1"), "fast")
    kept = with_former_encounters(listed(one, fast), listed(one))
    assert kept == listed(one, fast)
    # The same id for a bot whose name ends with the label.
    other = of(spec_of(["a", "b", "b.fast"], "list", encounters=(EncounterSpec(("a", "b.fast")),)))
    places = [problem.place for problem in differences(*bound_encounters(kept, other))]
    assert places == ["encounters.a~b.fast.bots", "encounters.a~b.fast.time-control"]
