"""The log of a run: one harmless line a fault, and silence about its own failures."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.director.events import BotSetAside, GameFinished, GameVoided, Notice, RunEnded
from harness.director.fault_log import FaultLog
from harness.director.log_file import LogFile
from harness.errors import StoreError
from harness.execution.worker import LOGGER_NAME
from harness.play.types import Cause
from harness.rules.types import Color
from tests.unit.store.builders import record

HOSTILE = "\x1b[31mred\r\nrun ended: complete\u202e"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[LogFile]:
    file = LogFile(tmp_path / "run.log")
    logger = logging.getLogger(LOGGER_NAME)
    level, logger.propagate = logger.level, False
    logger.addHandler(file)
    logger.setLevel(logging.INFO)
    yield file
    logger.removeHandler(file)
    logger.setLevel(level)
    logger.propagate = True
    file.close()


def test_every_fault_is_one_line_with_game_bot_cause_and_detail(file: LogFile) -> None:
    log = FaultLog(file, lambda text: None)
    game = record(cause=Cause.CRASH, winner=Color.WHITE, detail=HOSTILE, stderr=(HOSTILE, ""))
    log.notice(GameFinished(game, 2, 1))
    log.notice(GameFinished(record(), 2, 2))
    log.notice(GameVoided(game.spec, 2, "ann", HOSTILE, is_last_attempt=False))
    log.notice(GameVoided(game.spec, 3, "", "the worker died", is_last_attempt=True))
    log.notice(BotSetAside("ann", HOSTILE))
    log.notice(Notice(HOSTILE))
    log.notice(RunEnded(2, 1, 1, (), None))
    text = file.path.read_text()
    assert all(line.isprintable() for line in text.splitlines())
    forfeit, void, lost, aside, note, end = text.splitlines()
    assert forfeit.startswith("game ann~bob.1a: ann forfeits by crash: ")
    assert "; its last words: run ended: complete" in forfeit
    assert void.startswith("game ann~bob.1a is void, attempt 2: ann: ")
    assert lost == "game ann~bob.1a is lost, attempt 3: the worker died"
    assert aside.startswith("ann is set aside: ")
    assert note.startswith("note: ")
    assert end == "run ended: open-games; 1 of 2 games stored, 1 open"


def test_a_run_that_fails_says_so(file: LogFile) -> None:
    log = FaultLog(file, lambda text: None)
    log.begin(["loa", "run", "a b", "\x1b"], {"seed": 1})
    log.fail(StoreError("t/games.sqlite", "the disk is full"))
    first, command, conditions, end = file.path.read_text().splitlines()
    assert first.startswith("run begins: loa-harness ")
    assert command.startswith("command line: loa run 'a b' ")
    assert conditions == 'conditions: {"seed": 1}'
    assert end == "run ended: StoreError: t/games.sqlite: the disk is full"


def test_a_full_disk_is_told_once_and_prints_nothing(
    file: LogFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []
    log = FaultLog(file, told.append)

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", refuse)
    for _ in range(3):
        log.notice(BotSetAside("ann", "silent"))
    monkeypatch.undo()
    log.notice(BotSetAside("bob", "silent"))
    assert len(told) == 1
    assert "run.log has not every line: the disk is full" in told[0]
    assert file.path.read_text() == "bob is set aside: silent\n"  # there is room again
    assert capsys.readouterr() == ("", "")


def test_half_a_line_is_taken_back(file: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    log = logging.getLogger(LOGGER_NAME)
    log.info("one")
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, line: write(fd, line[:2]))
    log.info("two")
    monkeypatch.undo()
    log.info("three")
    assert file.path.read_text() == "one\nthree\n"


def test_a_record_that_makes_no_sense_stops_nothing(
    file: LogFile, capsys: pytest.CaptureFixture[str]
) -> None:
    file.emit(logging.makeLogRecord({"msg": "%d games", "args": ("no number",)}))
    assert file.trouble is not None
    assert capsys.readouterr() == ("", "")


def test_lines_of_a_worker_stay_lines_and_steer_no_terminal(file: LogFile) -> None:
    # Past the loggers: pytest keeps what goes through them, and cannot hand on a lone surrogate.
    text = "a job failed\nTraceback\x1b[2J\n  ValueError: \ud800"
    file.handle(logging.makeLogRecord({"name": LOGGER_NAME, "msg": text}))
    assert file.path.read_text() == "a job failed\nTraceback\\x1b[2J\n  ValueError: \\ud800\n"


def test_a_closed_file_takes_nothing(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "run.log")
    file.close()
    other = os.open(tmp_path / "other", os.O_WRONLY | os.O_CREAT)  # may get the same number
    file.emit(logging.makeLogRecord({"msg": "late"}))
    os.close(other)
    assert (tmp_path / "other").read_bytes() == b""


def test_a_log_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "run.log").mkdir()
    with pytest.raises(StoreError):
        LogFile(tmp_path / "run.log")


def test_a_void_game_is_told_from_a_lost_attempt() -> None:
    game = record().spec
    assert GameVoided(game, 1, "ann", "silent", is_last_attempt=False).text == "ann: silent"
    assert GameVoided(game, 1, "", "gone", is_last_attempt=True).text == "gone"
