from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import Problem
from harness.play.bot_definition import (
    BotDefinition,
    BotLimits,
    BotProtocol,
    Pondering,
    RestartPolicy,
    Sandbox,
)
from harness.play.clock import TimeControl
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START
from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule
from harness.tournament.conditions import (
    bot_conditions,
    conditions,
    derived_name,
    differences,
)
from harness.tournament.openings import openings_identity
from harness.tournament.spec import OpeningSource, TournamentSpec

BOT = BotDefinition("one", command=("./one", "--fast"), folder="/home/somebody")
SPEC = TournamentSpec(
    name="test",
    bots=(BOT, BotDefinition("two", module="bots.greedy_bot", options=(("Seed", "1"),))),
    openings=OpeningSource(STANDARD_START),
    time_control=TimeControl.parse("5+0.05"),
)


def of(spec: TournamentSpec) -> dict[str, object]:
    identity = openings_identity(spec.openings, spec.rules, spec.seed)
    stored: dict[str, object] = json.loads(json.dumps(conditions(spec, identity)))
    return stored


@pytest.mark.parametrize(
    ("changed", "places"),
    [
        (replace(SPEC, time_control=TimeControl.parse("2+0.02")), ["time-control"]),
        (replace(SPEC, margin_ms=51), ["margin-ms"]),
        (replace(SPEC, max_think_ms=1), ["max-think-ms"]),
        (replace(SPEC, seed=2), ["seed", "openings"]),
        (replace(SPEC, rules=replace(SPEC.rules, max_plies=None)), ["max-plies"]),
        (replace(SPEC, rules=replace(SPEC.rules, repetition=0)), ["repetition"]),
        (
            replace(SPEC, rules=RuleSet(SimultaneousRule.MOVER, NoMovesRule.LOSS, 3, 400)),
            ["simultaneous", "no-moves"],
        ),
        (replace(SPEC, openings=OpeningSource(STANDARD_START, random_plies=5)), ["openings"]),
        (replace(SPEC, openings=OpeningSource(SCRAMBLED_EGGS_START)), ["openings"]),
        (replace(SPEC, pondering=Pondering.SUSPEND), ["pondering"]),
    ],
)
def test_every_condition_is_compared(changed: TournamentSpec, places: list[str]) -> None:
    assert [problem.place for problem in differences(of(SPEC), of(changed))] == places


def test_extent_and_manner_are_no_conditions() -> None:
    changed = replace(
        SPEC,
        name="other",
        rounds=99,
        slots=7,
        force=True,
        restart=RestartPolicy.ALWAYS,
        sandbox=Sandbox.BWRAP,
        pondering=Pondering.IGNORE,
        memory_mb=100,
        bots=(*SPEC.bots, BotDefinition("three", module="bots.mcts_bot")),
    )
    assert differences(of(SPEC), of(changed)) == []


def test_differences_are_in_plain_words() -> None:
    changed = replace(
        SPEC,
        time_control=TimeControl.parse("2+0.02"),
        rules=replace(SPEC.rules, max_plies=None),
    )
    assert [str(problem) for problem in differences(of(SPEC), of(changed))] == [
        "time-control: stored 5+0.05, now 2+0.02",
        "max-plies: stored 400, now none",
    ]


@pytest.mark.parametrize(
    ("changed", "problems"),
    [
        (
            replace(BOT, options=(("Depth", "4"),)),
            [Problem("options.Depth", "stored none, now 4")],
        ),
        (replace(BOT, command=("./one", "a b")), [
            Problem("command", "stored ./one --fast, now ./one 'a b'"),
        ]),
        (replace(BOT, command=None, module="one"), [
            Problem("command", "stored ./one --fast, now none"),
            Problem("module", "stored none, now one"),
        ]),
        (replace(BOT, env=(("A", ""),)), [Problem("env.A", 'stored none, now ""')]),
        (replace(BOT, cwd="sub"), [Problem("cwd", "stored none, now sub")]),
        (replace(BOT, threads=2), [Problem("threads", "stored 1, now 2")]),
        (replace(BOT, protocol=BotProtocol.UCI), [Problem("protocol", "stored ugi, now uci")]),
        (
            replace(BOT, time_control=TimeControl.parse("nodes=5")),
            [Problem("time-control", "stored none, now nodes=5")],
        ),
        (replace(BOT, folder="/elsewhere"), []),
        (replace(BOT, limits=BotLimits(start_ms=1)), []),
        (replace(BOT, restart=RestartPolicy.NEVER), []),
        (
            replace(BOT, pondering=Pondering.SUSPEND),
            [Problem("pondering", "stored as the tournament, now suspend")],
        ),
        (replace(BOT, pondering=Pondering.IGNORE), []),
        (replace(BOT, sandbox=Sandbox.BWRAP, memory_mb=99, processes=9, read=("x",)), []),
    ],
)  # fmt: skip
def test_the_definition_of_a_bot_is_compared(
    changed: BotDefinition, problems: list[Problem]
) -> None:
    found = differences(bot_conditions(BOT), bot_conditions(changed), "bot b")
    assert found == [Problem(f"bot b.{problem.place}", problem.message) for problem in problems]


def test_games_stored_before_pondering_could_be_set_go_on() -> None:
    assert "pondering" not in of(SPEC)
    assert "pondering" not in bot_conditions(BOT)


def test_a_bot_is_told_from_its_tournament_by_its_own_pondering() -> None:
    suspended = bot_conditions(BOT, Pondering.SUSPEND)
    assert "pondering" not in suspended
    own = bot_conditions(replace(BOT, pondering=Pondering.IGNORE), Pondering.SUSPEND)
    assert differences(suspended, own, "bot b") == [
        Problem("bot b.pondering", "stored as the tournament, now ignore")
    ]
    as_all = bot_conditions(replace(BOT, pondering=Pondering.SUSPEND), Pondering.SUSPEND)
    assert as_all == suspended


def test_what_is_usual_is_called_by_its_name() -> None:
    (problem,) = differences(of(SPEC), of(replace(SPEC, pondering=Pondering.SUSPEND)))
    assert problem == Problem("pondering", "stored ignore, now suspend")


def test_zero_is_not_false() -> None:
    assert differences({"x": 0}, {"x": False}) == [Problem("x", "stored 0, now false")]


def test_the_derived_name_follows_the_conditions_alone() -> None:
    name = derived_name(SPEC)
    assert name.startswith("one-two-")
    assert len(name) == len("one-two-") + 6
    assert derived_name(replace(SPEC, rounds=99, name="x", slots=3)) == name
    assert derived_name(replace(SPEC, bots=(replace(BOT, folder="/x"), SPEC.bots[1]))) == name
    assert derived_name(replace(SPEC, sandbox=Sandbox.BWRAP, memory_mb=99)) == name
    assert derived_name(replace(SPEC, seed=2)) != name
    assert derived_name(replace(SPEC, pondering=Pondering.SUSPEND)) != name
    assert derived_name(replace(SPEC, bots=(replace(BOT, threads=2), SPEC.bots[1]))) != name


def test_the_derived_name_is_bounded_and_a_good_name_of_a_folder() -> None:
    long = replace(SPEC, bots=tuple(replace(BOT, name=f"..bot{n}") for n in range(100)))
    assert len(derived_name(long)) <= 64
    assert derived_name(long).startswith("bot0-")
    assert derived_name(replace(SPEC, bots=(replace(BOT, name="."),))).startswith("bots-")


def test_the_contents_of_a_file_of_openings_are_a_condition(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    spec = replace(SPEC, openings=OpeningSource(STANDARD_START, file=str(path)))
    path.write_text("b1-b3\n")
    before = of(spec)
    path.write_text("# other words\nB1B3\n")
    assert differences(before, of(spec)) == []
    path.write_text("b1-b3\nc1-c3\n")
    assert [problem.place for problem in differences(before, of(spec))] == ["openings"]
