"""A store of a million made-up games that the real command takes for its own and goes on with.

The games are those of ratings.py. What a run wants to find in a store beside games (its
conditions, the identity of every bot) is taken from a real run of the same tournament file that
was stopped after its first game: nothing here knows how either is worked out.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from pathlib import Path
from typing import Final

from tests.bench import ratings
from tests.bench.running import LOA, Ran, Started
from tests.bench.tally import read_tally

NAME_DIGITS: Final = 3
_POLL_SECONDS: Final = 0.002


def write_spec(file: Path, bot: Path, bots: int, rounds: int) -> Path:
    """Write the tournament file of a round robin of so many copies of the bot."""
    names = [f"engine-{number:0{NAME_DIGITS}d}" for number in range(bots)]
    entries = "".join(f'[[bot]]\nname = "{name}"\ncommand = ["{bot}"]\n' for name in names)
    file.write_text(
        f'[tournament]\nrounds = {rounds}\ntime-control = "10+0.1"\nmax-plies = 10\n'
        f"[openings]\nrandom-plies = 0\n{entries}",
        encoding="ascii",
    )
    return file


def run_command(spec: Path, name: str, results: Path, *more: str) -> list[str]:
    """Return the command that plays a tournament file."""
    return [
        *(*LOA, "run", str(spec), "--name", name, "--results", str(results), "--no-report"),
        *more,
    ]


def make_store(results: Path, bots: int, pairs: int) -> Path:
    """Return the store's folder; it is made unless ratings.py left it there."""
    folder = results / f"made-up-{bots}-{pairs}"
    if not folder.exists():
        ratings.part("make", folder, bots, pairs)
    return folder


def make_own(folder: Path, spec: Path, scratch: Path) -> None:
    """Make the run of this tournament file take the made-up games for its own."""
    started = Started(run_command(spec, folder.name, scratch / "real"), scratch)
    wait_for_answers(started, 10)
    started.stop()
    started.wait((130,))
    connection = sqlite3.connect(folder / "games.sqlite", isolation_level=None)
    real = scratch / "real" / folder.name / "games.sqlite"
    connection.execute("ATTACH ? AS real", [str(real)])
    connection.execute("BEGIN")
    connection.execute("DELETE FROM tournament")
    connection.execute("INSERT INTO tournament SELECT * FROM real.tournament")
    columns = "identity, definition, last_run"
    connection.execute(
        f"UPDATE bots SET ({columns}) = "
        f"(SELECT {columns} FROM real.bots r WHERE r.name = bots.name)"
    )
    connection.execute("COMMIT")
    connection.close()


def wait_for_answers(started: Started, answers: int, limit_seconds: float = 120) -> None:
    """Wait until bots have answered so often; raises SystemExit when that does not happen."""
    deadline = time.monotonic() + limit_seconds
    while read_tally(started.tally).answers < answers:
        if started.process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"{' '.join(started.command)}\n{started.output.read_text()[-2000:]}")
        time.sleep(_POLL_SECONDS)


def stop_after_game(started: Started, plies: int) -> Ran:
    """Let a run play one game, then end it as Ctrl-C does."""
    wait_for_answers(started, plies)
    started.stop()
    return started.wait((0, 130))
