"""Every format played to its end, killed on the way, gone on with, and extended."""

from __future__ import annotations

import random
import re
import signal
from pathlib import Path

import pytest

from harness.store.export import jsonl
from harness.store.sqlite import Store
from tests.process.run_command import Loa, faulty
from tests.process.support import Tag

pytestmark = pytest.mark.process

BOTS = ("a=random", "b=random", "c=random:Seed=5", "d=random:Seed=6", "e=random:Seed=7")
COMMON = ("--tc", "nodes=1", "--name", "t", "--no-report")
LIST = """
[tournament]
name = "t"
time-control = "nodes=1"
cycles = 2
[[bot]]
name = "a"
module = "bots.random_bot"
[[bot]]
name = "b"
module = "bots.random_bot"
[[bot]]
name = "c"
module = "bots.random_bot"
[[encounter]]
bots = ["b", "a"]
rounds = 3
[[encounter]]
bots = ["a", "b"]
rounds = 1
time-control = "nodes=2"
label = "more"
[[encounter]]
bots = ["a", "c"]
rounds = 1
"""
FORMATS = {
    "gauntlet": ((*BOTS, "--format", "gauntlet", "--seeds", "2", "--rounds", "2"), 24),
    "swiss": ((*BOTS, "--format", "swiss", "--rounds", "2", "--swiss-rounds", "4"), 32),
    "knock-out": ((*BOTS, "--format", "knock-out", "--rounds", "3"), 24),
    "list": (("t.toml",), 20),
}


@pytest.fixture
def loa(tmp_path: Path, tag: Tag) -> Loa:
    return folder_of(tmp_path, "main", tag)


def folder_of(parent: Path, name: str, tag: Tag) -> Loa:
    folder = parent / name
    folder.mkdir()
    (folder / "t.toml").write_text(LIST)
    return Loa(folder, tag)


def games_of(loa: Loa) -> list[str]:
    with Store.open_read_only(loa.folder / "results" / "t") as store:
        return list(jsonl(store.games()))


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(
            form, marks=pytest.mark.slow if form in ("gauntlet", "knock-out", "list") else ()
        )
        for form in FORMATS
    ],
)
def test_kill_9_and_go_on_gives_the_unbroken_games(
    form: str, loa: Loa, tmp_path: Path, tag: Tag
) -> None:
    arguments, games = FORMATS[form]
    command = ("run", *arguments, *COMMON)
    unbroken = folder_of(tmp_path, "unbroken", tag)
    expected_table, _ = unbroken(*command, "--serial")
    assert unbroken.stored() >= games
    chance = random.Random(form)
    for place in (("--slots", "2", "--force"), ("--serial",)):
        process = loa.start(*command, *place)
        loa.wait_until_stored(loa.stored() + chance.randrange(1, games // 3))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        tag.assert_nothing_left()
    assert 2 <= loa.stored() < unbroken.stored()
    table, errors = loa(*command, "--slots", "2", "--force")
    assert "open" not in errors
    assert games_of(loa) == games_of(unbroken)
    assert table == expected_table


def test_the_points_of_a_swiss_are_shown_and_more_rounds_follow(loa: Loa) -> None:
    command = ("run", *BOTS, "--format", "swiss", "--rounds", "1", *COMMON)
    table, errors = loa(*command, "--swiss-rounds", "1")
    assert re.search(r"^Swiss, 1 round$", table, re.MULTILINE)
    assert "Swiss round 1 of 1: 4 games" in errors.splitlines()
    assert "note: e sits out" in errors.splitlines()
    first = games_of(loa)
    plan, _ = loa(*command, "--swiss-rounds", "3", "--dry-run")
    assert "8 planned, 4 stored, 4 to play" in plan
    assert "Swiss round 2 of 3" in plan
    _, errors = loa(*command, "--swiss-rounds", "3")
    assert errors.count("Started game") == 8
    assert games_of(loa)[: len(first)] == first
    _, errors = loa(*command, "--swiss-rounds", "2")
    assert "4 stored games are no longer asked for" in errors


def test_the_bracket_of_a_knock_out_is_shown(loa: Loa) -> None:
    table, errors = loa("run", *BOTS, "--format", "knock-out", "--rounds", "2", *COMMON)
    assert "Final ranking: 1 " in table
    for name in ("quarter-finals", "semi-finals", "final"):
        assert f"knock-out, {name}: " in errors
    assert "note: a goes on without a game" in errors


def test_other_seeds_are_refused_and_more_cycles_go_on(loa: Loa) -> None:
    command = ("run", *BOTS[:3], "--format", "gauntlet", "--rounds", "1", *COMMON)
    loa(*command)
    assert loa.stored() == 4
    loa(*command, "--cycles", "2")
    assert loa.stored() == 8
    _, errors = loa(*command, "--seeds", "2", code=2)
    assert 'seeds: stored ["a"], now ["a", "b"]' in errors
    _, errors = loa("run", *BOTS[:3], "--rounds", "1", *COMMON, code=2)
    assert "format: stored gauntlet, now round-robin" in errors


def test_a_labelled_encounter_keeps_its_time_control(loa: Loa) -> None:
    loa("run", "t.toml", "--no-report")
    assert any('"id":"a~b.more.2a"' in line for line in games_of(loa))
    (loa.folder / "t.toml").write_text(LIST.replace("nodes=2", "nodes=3"))
    _, errors = loa("run", "t.toml", "--no-report", code=2)
    assert "encounters.a~b.more.time-control: stored nodes=2, now nodes=3" in errors


@pytest.mark.parametrize("form", ["swiss", "knock-out"])
def test_the_opponent_of_a_bot_that_cannot_start_walks_over(form: str, loa: Loa) -> None:
    bots = (*BOTS[:3], faulty("x", "start-exit"))
    command = ("run", *bots, "--format", form, "--rounds", "1", *COMMON)
    table, errors = loa(*command, code=3)
    assert "Set aside x" in errors
    assert "stay open" not in errors
    assert "walked over" in errors
    stored = loa.stored()
    again, errors = loa(*command)
    assert "nothing to play" in errors
    assert (again, loa.stored()) == (table, stored)
