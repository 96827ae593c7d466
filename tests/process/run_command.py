"""``loa`` as a process in a folder of its own, and the bots that tests of it like to run."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from tests.process.support import FAULTY_BOT, Tag

BOTS = ("random", "again=random", "slow=random:Seed=5")
FLAGS = ("--tc", "nodes=1", "--rounds", "4", "--name", "t", "--no-report")


class Loa:
    """The command in a folder of its own; every process of it carries the tag."""

    def __init__(self, folder: Path, tag: Tag) -> None:
        self.folder = folder
        self.environment = {
            **{key: value for key, value in os.environ.items() if key != "LOA_RESULTS"},
            "LOA_TEST_TAG": tag.value,
            "TERM": "dumb",
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "harness", *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=120)
        assert process.returncode == code, errors
        assert "Traceback" not in errors
        return output, errors

    def export(self, name: str = "t") -> str:
        return self("export", name, "--format", "jsonl")[0]

    def stored(self, name: str = "t") -> int:
        path = self.folder / "results" / name / "games.sqlite"
        if not path.exists():
            return 0
        try:
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            try:
                return int(connection.execute("SELECT count(*) FROM games").fetchone()[0])
            finally:
                connection.close()
        except sqlite3.OperationalError:
            return 0

    def wait_until_stored(self, count: int, name: str = "t", within_seconds: float = 30) -> None:
        deadline = time.monotonic() + within_seconds
        while self.stored(name) < count:
            assert time.monotonic() < deadline
            time.sleep(0.005)


def faulty(label: str, mode: str, turn: int = 1) -> str:
    return f"{label}={sys.executable} -S {FAULTY_BOT} {mode} {turn}"
