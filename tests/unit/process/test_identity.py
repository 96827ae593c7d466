from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.play.bot_definition import BotDefinition, BotProtocol, RestartPolicy
from harness.play.clock import TimeControl
from harness.process.identity import bot_identity
from harness.process.launch import LaunchError


@pytest.fixture
def bot(tmp_path: Path) -> BotDefinition:
    program = tmp_path / "bot"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    (tmp_path / "book.txt").write_text("b1b3\n")
    return BotDefinition("mine", command=("./bot", "book.txt", "--fast"), folder=str(tmp_path))


def test_what_changes_play_changes_the_identity(bot: BotDefinition, tmp_path: Path) -> None:
    identities = {bot_identity(bot)}
    for changed in (
        replace(bot, options=(("Depth", "3"),)),
        replace(bot, env=(("A", "1"),)),
        replace(bot, threads=2),
        replace(bot, protocol=BotProtocol.UCI),
        replace(bot, command=("./bot", "book.txt", "--slow")),
    ):
        identities.add(bot_identity(changed))
    (tmp_path / "book.txt").write_text("g1g3\n")
    identities.add(bot_identity(bot))
    (tmp_path / "bot").write_text("#!/bin/sh\nexit 1\n")
    identities.add(bot_identity(bot))
    assert len(identities) == 8


def test_name_time_and_place_do_not(bot: BotDefinition, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    for name in ("bot", "book.txt"):
        (copy / name).write_bytes((tmp_path / name).read_bytes())
        (copy / name).chmod(0o755)
    for same in (
        replace(bot, name="other"),
        replace(bot, time_control=TimeControl.parse("1+1")),
        replace(bot, restart=RestartPolicy.ALWAYS),
        replace(bot, folder=str(copy)),
        replace(bot, command=(str(copy / "bot"), "book.txt", "--fast")),
    ):
        assert bot_identity(same) == bot_identity(bot)


def test_shipped_bots_differ_and_stay() -> None:
    one = BotDefinition("one", module="bots.random_bot")
    assert bot_identity(one) == bot_identity(replace(one, name="two"))
    assert bot_identity(one) != bot_identity(replace(one, module="bots.plain_bot"))


def test_a_missing_program_or_module_is_said() -> None:
    with pytest.raises(LaunchError, match="does not exist"):
        bot_identity(BotDefinition("x", command=("./nothing-here",), folder="/"))
    with pytest.raises(LaunchError, match="not installed"):
        bot_identity(BotDefinition("x", module="no_such_module_at_all.bot"))
    with pytest.raises(LaunchError, match="not installed"):
        bot_identity(BotDefinition("x", module="bots.no_such_bot"))
