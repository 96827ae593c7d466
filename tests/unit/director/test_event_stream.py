"""Where events go: files, pipes that are slow or gone, full disks. None of it stops anything."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from harness.director.event_stream import EventStream
from harness.director.events import Notice, RunEnded
from harness.director.line_sink import MAX_WAITING_BYTES, LineSink
from harness.errors import InputError

DONE = RunEnded(2, 2, 0, (), None)


def events(path: Path) -> list[str]:
    return [json.loads(line)["event"] for line in path.read_text(encoding="ascii").splitlines()]


def test_a_file_is_appended_to_and_each_line_is_there_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ev"
    for number in (1, 2):
        stream = EventStream(str(path))
        assert len(events(path) if path.exists() else []) == 2 * (number - 1)
        stream.open()
        stream.notice(Notice("one"))
        assert events(path)[-1] == "notice"
        stream.end(DONE, 0)
        stream.notice(Notice("after the end nothing is written"))
    assert events(path) == ["notice", "run-ended"] * 2


def test_nothing_is_written_before_it_is_opened(tmp_path: Path) -> None:
    stream = EventStream(str(tmp_path / "ev"))
    stream.notice(Notice("one"))
    stream.end(None, 2, "in use")
    assert list(tmp_path.iterdir()) == []


def test_a_torn_last_line_stays_apart(tmp_path: Path) -> None:
    path = tmp_path / "ev"
    path.write_text('{"version":1,"eve')
    stream = EventStream(str(path))
    stream.open()
    stream.notice(Notice("one"))
    lines = path.read_text().splitlines()
    assert lines[0] == '{"version":1,"eve'
    assert json.loads(lines[1])["event"] == "notice"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder", "it is a folder"),
        ("gone/ev", "there is no folder"),
        ("cup.toml", "it holds something else than events"),
    ],
)
def test_what_cannot_take_events_is_refused_at_once(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "cup.toml").write_text("[tournament]\n")
    with pytest.raises(InputError, match=words):
        EventStream(str(tmp_path / name))
    assert (tmp_path / "cup.toml").read_text() == "[tournament]\n"


def test_a_named_pipe_without_a_reader_is_refused_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="nobody reads this pipe; start its reader first"):
        EventStream(str(tmp_path / "pipe")).open()


def test_a_named_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    stream = EventStream(str(tmp_path / "pipe"))
    stream.open()
    stream.notice(Notice("one"))
    assert json.loads(os.read(reader, 1000))["event"] == "notice"
    os.close(reader)
    stream.end(DONE, 0)


def test_a_full_disk_is_told_once(tmp_path: Path) -> None:
    stream = EventStream("/dev/full")
    told: list[str] = []
    stream.tell = told.append
    stream.open()
    for _ in range(3):
        stream.notice(Notice("one"))
        stream.tick()
    stream.end(DONE, 0)
    assert len(told) == 1
    assert told[0].startswith("--events /dev/full: further events are lost: the disk is full")


def test_a_line_that_fits_in_half_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ev"
    stream = EventStream(str(path))
    stream.open()
    stream.notice(Notice("one"))
    whole = path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, line: write(fd, line[: len(line) // 2]))
    stream.notice(Notice("two"))
    assert path.read_bytes() == whole
    monkeypatch.undo()
    stream.notice(Notice("three"))
    assert path.read_bytes() == whole  # the events are over, and no line is missing in between


# Pipes


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for fd in (reader, writer):
        with suppress(OSError):  # the test has closed it
            os.close(fd)


def drain(reader: int) -> bytes:
    os.set_blocking(reader, False)
    got = b""
    while True:
        try:
            got += os.read(reader, 1 << 20)
        except BlockingIOError:
            return got


def test_a_slow_reader_is_not_waited_for_and_gets_everything(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    sink = LineSink(writer)
    lines = [b"%06d%s\n" % (number, b"x" * 993) for number in range(500)]  # 500 kB, blocking pipe
    for line in lines:
        sink.write(line)
    got = b""
    while len(got) < 500_000:
        got += drain(reader)
        sink.flush()
    assert got == b"".join(lines)
    assert sink.failure is None


def test_a_reader_that_never_reads_is_given_up(pipe: tuple[int, int]) -> None:
    _, writer = pipe
    sink = LineSink(writer)
    for _ in range(MAX_WAITING_BYTES // 100_000 + 2):
        sink.write(b"x" * 100_000 + b"\n")
    assert sink.failure == "whoever reads them is too slow"


def test_a_reader_that_is_gone(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    sink = LineSink(writer)
    sink.write(b"one\n")
    os.close(reader)
    sink.write(b"two\n")
    assert sink.failure == "whoever read them is gone"
    sink.write(b"three\n")
