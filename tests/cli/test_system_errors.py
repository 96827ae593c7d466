"""What is told of a system call that failed: the output is blamed for its own errors alone."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from harness.cli import main as module
from harness.cli.main import main

ROOT = Path(__file__).parent.parent.parent


def fork() -> None:
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def read() -> None:
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "book.txt")


@pytest.mark.parametrize(
    ("fail", "words"),
    [
        (fork, "loa: Resource temporarily unavailable\n"),
        (read, "loa: book.txt: No such file or directory\n"),
    ],
)
def test_the_words_of_the_system(
    fail: object, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "cli", click.Command("loa", callback=fail))  # type: ignore[arg-type]
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 1
    assert capsys.readouterr().err == words


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["bots"], ["--help"], ["perft", "1"]])
def test_a_full_disk_below_the_output_is_named(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "harness", *arguments],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr == b"loa: the output cannot be written: No space left on device\n"
