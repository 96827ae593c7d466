"""One run a tournament: by whatever path, and what stands in place of the lock."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from harness.director import lock
from harness.director.lock import LOCK_FILE, Holder, holder_of, run_lock
from harness.director.stop_request import STOP_FILE, StopRequest, ask_to_stop
from harness.errors import InUseError, StoreError
from harness.store.schema import FILE_NAME


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "_BETWEEN_TRIES_SECONDS", 0.0)


def test_a_second_run_is_refused_and_named_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "t"
    with run_lock(folder):
        with pytest.raises(InUseError) as caught, run_lock(folder):
            pass
        assert caught.value.holder.startswith(f"process {os.getpid()} on ")
    with run_lock(folder):
        pass


def test_the_lock_holds_without_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    with run_lock(folder):
        for _ in range(2):  # the second time the file is there again, of nobody
            (folder / LOCK_FILE).unlink(missing_ok=True)
            with pytest.raises(InUseError, match="by another process"), run_lock(folder):
                pass
            assert holder_of(folder) == Holder("another process", "", folder)
    assert holder_of(folder) is None


def test_where_a_folder_cannot_be_locked_its_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock_file = fcntl.flock

    def refuse_folders(fd: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        lock_file(fd, operation)

    monkeypatch.setattr(fcntl, "flock", refuse_folders)
    with run_lock(tmp_path) as holder:
        assert holder_of(tmp_path) == holder
        with pytest.raises(InUseError, match=holder.words), run_lock(tmp_path):
            pass
    assert holder_of(tmp_path) is None


def test_who_is_refused_is_told_how_to_stop_the_other(tmp_path: Path) -> None:
    folder = tmp_path / "my league"
    with run_lock(folder), pytest.raises(InUseError, match=f"loa stop '{folder}'"):
        run_lock(folder).__enter__()


def test_another_path_to_the_same_folder_is_the_same_tournament(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    with run_lock(folder):
        (tmp_path / "link").symlink_to(folder)
        for other in (tmp_path / "link", tmp_path / "link" / ".." / "t", tmp_path / "." / "t"):
            with pytest.raises(InUseError), run_lock(other):
                pass


def test_a_link_to_the_database_is_the_same_tournament(tmp_path: Path) -> None:
    folder, other = tmp_path / "t", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (folder / FILE_NAME).touch()
    (other / FILE_NAME).symlink_to(folder / FILE_NAME)
    with run_lock(folder), pytest.raises(InUseError), run_lock(other):
        pass
    with run_lock(other) as holder:
        assert holder_of(folder) == holder_of(other) == holder


def test_the_holder_is_known_while_it_holds(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    assert holder_of(folder) is None
    with run_lock(folder) as first:
        assert holder_of(folder) == first
    assert holder_of(folder) is None
    with run_lock(folder) as second:
        assert second.token != first.token


def test_looking_at_the_lock_makes_nothing(tmp_path: Path) -> None:
    assert holder_of(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("look", [run_lock, lambda folder: nullcontext(holder_of(folder))])
def test_a_pipe_or_a_folder_in_its_place_is_an_error_not_a_wait(
    tmp_path: Path, look: Callable[[Path], AbstractContextManager[object]]
) -> None:
    for name, make in (("pipe", os.mkfifo), ("folder", os.mkdir)):
        folder = tmp_path / name
        folder.mkdir()
        make(folder / LOCK_FILE)
        with pytest.raises(StoreError, match="it is no file; move it away"), look(folder):
            pass


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the disk is full"),
        (errno.EROFS, "look at its rights, or choose another --results"),
        (errno.EACCES, "look at its rights, or choose another --results"),
    ],
)
@pytest.mark.parametrize("call", ["open", "ftruncate", "pwrite"])
def test_a_disk_that_refuses_is_said_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, words: str
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(StoreError, match=words) as caught, run_lock(tmp_path):
        pass
    monkeypatch.undo()
    assert caught.value.exit_code == 1
    assert os.strerror(number) in str(caught.value)
    with run_lock(tmp_path):
        pass  # what failed before holds nothing


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "t").touch()
    with pytest.raises(StoreError), run_lock(tmp_path / "t"):
        pass


# Requests to stop


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_request_reaches_the_run_it_was_made_for(tmp_path: Path) -> None:
    clock = Clock()
    with run_lock(tmp_path) as holder:
        request = StopRequest(holder.folder, holder.token, clock)
        seen = [request.is_made]
        ask_to_stop(holder.folder, holder.token)
        for seconds in (0.19, 0.02):  # it looks every 0.2 s
            clock.now += seconds
            seen.append(request.is_made)
        (tmp_path / STOP_FILE).unlink()
        clock.now += 1
        seen.append(request.is_made)
    assert seen == [False, False, True, True]
    assert sorted(path.name for path in tmp_path.iterdir()) == [LOCK_FILE]


def test_a_request_for_another_run_is_none_and_goes(tmp_path: Path) -> None:
    ask_to_stop(tmp_path, "0123456789abcdef")
    with run_lock(tmp_path) as holder:
        assert not (tmp_path / STOP_FILE).exists()
        ask_to_stop(tmp_path, "0123456789abcdef")
        assert not StopRequest(holder.folder, holder.token).is_made
    assert not (tmp_path / STOP_FILE).exists()


def test_a_pipe_in_place_of_the_request_holds_nothing_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / STOP_FILE)
    assert not StopRequest(tmp_path, "abc").is_made


def test_a_request_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        ask_to_stop(tmp_path / "gone", "abc")
