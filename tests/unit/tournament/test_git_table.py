from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import SpecError
from harness.play.bot_definition import BotDefinition
from harness.play.git_source import Checkout, GitSource
from harness.tournament.conditions import bot_conditions, differences
from harness.tournament.config import load_spec, spec_to_toml
from harness.tournament.git_table import moved_version
from harness.tournament.spec import TournamentSpec

OLD, NEW = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", "0f" * 20
OTHER = '[[bot]]\nname = "other"\nmodule = "bots.random_bot"\n'


def load(folder: Path, table: str) -> TournamentSpec:
    path = folder / "t.toml"
    path.write_text(f"{OTHER}[[bot]]\n{table}\n")
    return load_spec(path)


def problems_of(folder: Path, table: str) -> list[str]:
    with pytest.raises(SpecError) as caught:
        load(folder, table)
    return [str(problem) for problem in caught.value.problems]


def version(commit: str, build: str | None = "make") -> BotDefinition:
    source = GitSource("../mybot", "main", build)
    checkout = Checkout(commit, "/home/somebody/.cache/tree")
    return BotDefinition("mine", command=("./mybot",), git=source, checkout=checkout)


def test_a_version_is_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "mybot").mkdir()
    spec = load(
        tmp_path,
        """
        name = "old"
        git = { repo = "mybot", rev = "v1.2", build = 'make "x"', build-seconds = 5 }
        command = ["./mybot"]
        cwd = "only/in/the/checkout"
        """,
    )
    assert spec.bots[1] == BotDefinition(
        "old",
        command=("./mybot",),
        folder=str(tmp_path),
        cwd="only/in/the/checkout",
        git=GitSource("mybot", "v1.2", 'make "x"', 5),
    )
    (tmp_path / "t.toml").write_text(spec_to_toml(spec))
    assert load_spec(tmp_path / "t.toml") == spec


def test_a_version_needs_no_name_and_no_build(tmp_path: Path) -> None:
    spec = load(tmp_path, 'git = { repo = ".", rev = "WORKTREE" }\ncommand = ["./mybot"]')
    assert spec.bots[1].name == ""
    assert spec.bots[1].git == GitSource(".", "WORKTREE")
    (tmp_path / "t.toml").write_text(spec_to_toml(spec))
    assert load_spec(tmp_path / "t.toml") == spec


def test_all_problems_have_their_line_and_key(tmp_path: Path) -> None:
    table = """
[bot.git]
repo = "nowhere"
rev = "-x"
build = " "
build-seconds = 0
branch = "main"
"""
    assert problems_of(tmp_path, table) == [
        "line 4, bot[2]: a bot needs a module or a command",
        f"line 7, bot[2].git.repo: 'nowhere' is no folder (relative paths begin at {tmp_path})",
        "line 8, bot[2].git.rev: '-x' is no revision: it begins with -; write refs/heads/... in "
        "full",
        "line 9, bot[2].git.build: an empty command builds nothing; leave it out",
        "line 10, bot[2].git.build-seconds: expected a whole number from 1 to 86400, found 0",
        "line 11, bot[2].git.branch: unknown key; known are build, build-seconds, repo, rev",
    ]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('name = "a"\ngit = "main"\ncommand = ["./a"]', "expected a table"),
        ('git = {}\ncommand = ["./a"]', "git needs repo"),
        ('git = {}\ncommand = ["./a"]', "git needs rev"),
        ('git = { repo = ".", rev = "v1" }\nmodule = "bots.random_bot"', "needs a command"),
        ('command = ["./a"]', "a bot needs a name"),
        ('name = "a"\ncommand = ["./a"]\nrev = "v1"', "it belongs into git = "),
    ],
)
def test_one_problem(tmp_path: Path, table: str, message: str) -> None:
    assert [one for one in problems_of(tmp_path, table) if message in one]


def test_conditions_hold_commit_and_build_and_no_place() -> None:
    assert bot_conditions(version(OLD))["git"] == {"commit": OLD, "build": "make"}
    other_place = replace(version(OLD), git=GitSource("/elsewhere", "v1", "make"))
    assert bot_conditions(other_place) == bot_conditions(version(OLD))
    assert "git" not in bot_conditions(BotDefinition("mine", command=("./mybot",)))


def test_a_moved_revision_is_told_with_what_to_do() -> None:
    stored, now = bot_conditions(version(OLD)), bot_conditions(version(NEW))
    moved = moved_version("mine", stored, now)
    assert moved is not None
    assert [moved.place] == [one.place for one in differences(stored, now, "bot mine")]
    for words in (f"stored {OLD}, now {NEW}", f'rev = "{OLD}"', "mine-0f0f0f0", "--accept-changed"):
        assert words in moved.message
    assert moved_version("mine", stored, bot_conditions(version(OLD, "make -j2"))) is None
    assert moved_version("mine", stored, {}) is None
    dirty = moved_version("mine", bot_conditions(version(f"{OLD}-dirty-{'a' * 16}")), now)
    assert dirty is not None
    assert "rev =" not in dirty.message
