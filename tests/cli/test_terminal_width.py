"""Lines on a terminal are broken at words, in a file they are not."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import sys
import termios

import pytest

from harness.cli.progress import say

TEXT = "stopped: 3 of 20 games are stored in results/my-league; the same command goes on"


def test_a_line_is_broken_at_words_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    say(TEXT)
    assert capsys.readouterr().err == f"{TEXT}\n"
    master, slave = pty.openpty()
    try:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, 50, 0, 0))
        with os.fdopen(slave, "w") as terminal:
            monkeypatch.setattr(sys, "stderr", terminal)
            say(TEXT)
            terminal.flush()
            lines = os.read(master, 4096).decode().split("\r\n")
    finally:
        os.close(master)
    assert lines == [
        "stopped: 3 of 20 games are stored in",
        "results/my-league; the same command goes on",
        "",
    ]
