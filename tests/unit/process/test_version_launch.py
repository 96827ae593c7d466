"""Where a version's program begins, and what of it makes its identity."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.play.bot_definition import BotDefinition
from harness.play.git_source import Checkout, GitSource
from harness.process.identity import bot_identity
from harness.process.launch import LaunchError, find_program

COMMIT = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"


def write_bot(folder: Path) -> None:
    (folder / "data").mkdir(parents=True)
    (folder / "bot").write_text("#!/bin/sh\nexit 0\n")
    (folder / "bot").chmod(0o755)


@pytest.fixture
def bot(tmp_path: Path) -> BotDefinition:
    write_bot(tmp_path / "tree")
    return BotDefinition(
        "mine",
        command=("./bot",),
        folder="/somewhere/else",
        git=GitSource("mybot", "main", "make"),
        checkout=Checkout(COMMIT, str(tmp_path / "tree")),
    )


def test_command_and_folder_begin_in_the_checkout(bot: BotDefinition, tmp_path: Path) -> None:
    program = find_program(bot)
    assert (program.words, program.folder) == (
        (str(tmp_path / "tree" / "bot"),),
        str(tmp_path / "tree"),
    )
    assert find_program(replace(bot, cwd="data")).folder == str(tmp_path / "tree" / "data")


def test_commit_and_build_make_the_identity_and_no_place(
    bot: BotDefinition, tmp_path: Path
) -> None:
    write_bot(tmp_path / "copy")
    same = replace(
        bot,
        name="other",
        git=GitSource("/elsewhere", "v1", "make"),
        checkout=Checkout(COMMIT, str(tmp_path / "copy")),
    )
    assert bot_identity(same) == bot_identity(bot)
    others = (
        replace(bot, checkout=Checkout(COMMIT[::-1], str(tmp_path / "tree"))),
        replace(bot, git=GitSource("mybot", "main", "make fast")),
        replace(bot, git=None, checkout=None, folder=str(tmp_path / "tree")),
    )
    assert len({bot_identity(one) for one in (bot, *others)}) == 4


def test_what_is_not_there_is_said(bot: BotDefinition) -> None:
    with pytest.raises(LaunchError, match="not checked out"):
        find_program(replace(bot, checkout=None))
    missing = replace(bot, command=("./missing",))
    with pytest.raises(LaunchError, match=r"does not exist$"):
        find_program(missing)
    with pytest.raises(LaunchError, match="no build command"):
        find_program(replace(missing, git=GitSource("mybot", "main")))
