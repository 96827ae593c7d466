"""What is the machine's fault and no bot's."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from harness.play.bot_definition import BotDefinition
from harness.play.types import Cause, Outcome
from harness.process.bot_process import BotProcess
from harness.process.launch import LaunchError, launch
from harness.process.pipes import AttemptLost
from harness.process.session import _check_attempt
from harness.rules.types import Color

MS = 1_000_000
SEATS = cast("Any", None)
"""Not looked at unless a bot crashed."""


@pytest.mark.parametrize(
    "outcome", [Outcome(Cause.TIME, Color.WHITE), Outcome(Cause.MAX_PLIES, None)]
)
def test_a_game_in_which_the_machine_slept_has_no_result(outcome: Outcome) -> None:
    with pytest.raises(AttemptLost, match=r"the machine slept for 0\.6 s in the game"):
        _check_attempt(outcome, SEATS, 600 * MS)
    _check_attempt(outcome, SEATS, 400 * MS)


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE])
def test_a_machine_without_room_for_a_process_is_no_bots_fault(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(number, monkeypatch)
    with pytest.raises(AttemptLost, match="x could not be started"):
        launch(BotDefinition("x", command=("/bin/true",)))


@pytest.mark.parametrize("number", [errno.ENOEXEC, errno.E2BIG, errno.EACCES])
def test_a_program_that_cannot_be_started_is_the_bots_fault(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(number, monkeypatch)
    with pytest.raises(LaunchError, match="its program cannot be started"):
        launch(BotDefinition("x", command=("/bin/true",)))


def refuse(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def popen(*_: object, **__: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(subprocess, "Popen", popen)


def test_a_bot_that_cannot_be_watched_is_ended_and_no_bots_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[int] = []

    def pidfd_open(process: int) -> int:
        opened.append(process)
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(os, "pidfd_open", pidfd_open)
    with pytest.raises(AttemptLost, match="x could not be watched"):
        BotProcess(BotDefinition("x", command=("/bin/sleep", "60")))
    assert not Path(f"/proc/{opened[0]}").exists()
