"""``loa compare`` as a person uses it: two bots, two versions in git, again, killed, refused."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from tests.process.git_repository import ENVIRONMENT, GitRepository
from tests.process.run_command import Loa
from tests.process.support import Tag

pytestmark = pytest.mark.process

BOT = """#!/usr/bin/env python3
from harness import botkit
from harness.rules.board import count_groups

STRENGTH = {strength}


def choose(position, turn):
    def badness(move):
        after = position.after(move)
        return count_groups(after.enemy), -count_groups(after.own), turn.random.random()

    if turn.random.random() < STRENGTH:
        return min(position.legal_moves(), key=badness)
    return turn.random.choice(position.legal_moves())


if __name__ == "__main__":
    botkit.run(choose, name="versioned")
"""
FLAGS = ("--tc", "nodes=1", "--slots", "1", "--elo1", "150", "--json")


@pytest.fixture
def loa(tmp_path: Path, tag: Tag) -> Loa:
    loa = Loa(tmp_path, tag)
    loa.environment |= {
        name: ENVIRONMENT[name] for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
    }
    loa.environment["LOA_CACHE"] = str(tmp_path / "cache")
    loa.environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    return loa


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    """Three versions: ``strong``, ``weak`` and ``same``, which plays as ``strong``."""
    made = GitRepository(tmp_path / "mybot")
    for tag, strength in (("strong", 0.9), ("weak", 0.0), ("same", 0.9)):
        made.commit(tag, mybot=BOT.format(strength=strength) + f"# {tag}\n")
        made.git("tag", tag)
    return made


def _compared(loa: Loa, *arguments: str, code: int = 0) -> dict[str, object]:
    output, _ = loa("compare", *arguments, *FLAGS, code=code)
    document: dict[str, object] = json.loads(output)
    return document


@pytest.mark.parametrize(
    ("base", "test", "verdict", "code"),
    [("weak", "strong", "H1", 0), ("strong", "weak", "H0", 10)],
)
def test_a_better_version_is_h1_a_worse_one_h0_and_again(
    loa: Loa, repository: GitRepository, base: str, test: str, verdict: str, code: int
) -> None:
    versions = ("--git", "mybot", "--base", base, "--test", test, "--bot", "./mybot")
    first = _compared(loa, *versions, "--max-pairs", "60", "--exit-code", code=code)
    assert first["verdict"] == verdict
    assert str(first["base"]).startswith(base)
    assert str(first["test"]).startswith(test)
    games = loa.stored(str(first["tournament"]))
    again = _compared(loa, *versions, "--max-pairs", "60", "--exit-code", code=code)
    assert again == first
    assert loa.stored(str(first["tournament"])) == games
    assert repository.git("status", "--porcelain") == ""


def test_equal_versions_are_undecided_at_the_cap(loa: Loa, repository: GitRepository) -> None:
    versions = ("--git", "mybot", "--base", "strong", "--test", "same", "--bot", "./mybot")
    terms = ("--elo0", "-60", "--elo1", "60", "--alpha", "0.001", "--beta", "0.001")
    output, _ = loa(
        "compare", *versions, "--max-pairs", "30", "--tc", "nodes=1", "--slots", "1", *terms,
        "--json", "--exit-code", code=11,
    )  # fmt: skip
    document = json.loads(output)
    again, _ = loa(
        "compare", *versions, "--max-pairs", "30", "--tc", "nodes=1", "--slots", "1", *terms,
        "--json", "--exit-code", code=11,
    )  # fmt: skip
    assert json.loads(again) == document
    assert (document["verdict"], document["is_exhausted"]) == ("undecided", True)
    assert document["pairs"] + document["repeated_pairs"] == 30


def test_killed_and_resumed_it_ends_as_if_nothing_had_been(loa: Loa, tmp_path: Path) -> None:
    bots = ("old=random", "new=greedy:Dilution=60")
    flags = ("--tc", "nodes=1", "--slots", "1", "--elo1", "400", "--name", "c")
    process = loa.start("compare", *bots, *flags)
    deadline = time.monotonic() + 60
    while loa.stored("c") < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    killed = json.loads(loa("compare", *bots, *flags, "--json")[0])
    whole = json.loads(
        loa("compare", *bots, *flags, "--json", "--results", str(tmp_path / "other"))[0]
    )
    assert killed == whole
    assert killed["verdict"] == "H1"


def test_what_makes_no_sense_is_said(loa: Loa, repository: GitRepository) -> None:
    for arguments, words in (
        (("random",), "two bots, BASE and TEST"),
        (("random", "greedy", "--base", "x"), "go with --git"),
        (("--git", "mybot", "--base", "weak"), "--bot COMMAND"),
        (("--git", "mybot", "--base", "weak", "--test", "weak", "--bot", "./mybot"), "same commit"),
        (("--git", "mybot", "--base", "nothing", "--bot", "./mybot"), "nothing"),
        (("random", "greedy", "--elo0", "30"), "must be below elo1"),
        (("random", "greedy", "--alpha", "0.7"), "from 1e-06 to 0.499"),
        (("random", "greedy", "--max-pairs", "0"), "--max-pairs"),
        (("--git", "", "--base", "weak", "--bot", "./mybot"), "--git names no repository"),
    ):
        _, errors = loa("compare", *arguments, code=2)
        assert words in " ".join(errors.split()), errors


def test_an_opening_that_comes_again_is_skipped_and_the_last_one_played(loa: Loa) -> None:
    lines = ["b1-b3 h4-f2"] * 3 + ["c1-c3 h4-f2", "b1-h1 a2-c2 g1-a1", "g1-a1 a2-c2 b1-h1"]
    (loa.folder / "openings.txt").write_text("\n".join([*lines, "d1-d3 a5-c5"]))
    output, errors = loa(
        "compare", "greedy", "again=greedy", "--openings", "openings.txt", *FLAGS, "--exit-code",
        code=11,
    )  # fmt: skip
    assert "note: there are 4 different openings, and none is played twice" in errors
    document = json.loads(output)
    assert document["max_pairs"] == 4
    assert document["pairs"] + document["repeated_pairs"] == 4
    assert loa.stored(document["tournament"]) == 8


def test_a_test_is_no_tournament_and_swapped_bots_another_test(loa: Loa) -> None:
    (loa.folder / "t.toml").write_text(
        '[test]\n[[bot]]\nname = "a"\nmodule = "bots.random_bot"\n'
        '[[bot]]\nname = "b"\nmodule = "bots.greedy_bot"\n'
    )
    _, errors = loa("run", "t.toml", code=2)
    assert "use `loa compare`" in errors
    loa("compare", "random", "greedy", *FLAGS, "--name", "c")
    _, errors = loa("compare", "greedy", "random", *FLAGS, "--name", "c", code=2)
    assert "test.base: stored random, now greedy" in errors
    assert "another label, or the test another --name" in errors


def test_a_verdict_is_said_in_words(loa: Loa) -> None:
    output, errors = loa("compare", "random", "greedy", "--tc", "nodes=1", "--elo1", "300")
    assert output.startswith("H1: greedy is better than random")
    assert max(map(len, output.splitlines())) <= 80
    assert "Test: 1 pair (" in errors
    standings, _ = loa("standings", next((loa.folder / "results").iterdir()).name)
    assert "is a sequential test: here every finished game counts" in " ".join(standings.split())
