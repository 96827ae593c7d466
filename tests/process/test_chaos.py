"""Many quick games while harness, workers and bots are killed at random, seeded moments.

After the last resume every planned game is stored exactly once and the export is that of an
unbroken run; nothing is left.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.process.run_command import Loa
from tests.process.support import FAULTY_BOT, Tag, is_worker, processes_below

pytestmark = [pytest.mark.process, pytest.mark.alone]

BOT = FAULTY_BOT.with_name("seeded_bot.py")
BOTS = tuple(f"{name}={sys.executable} -S -E {BOT}" for name in ("one", "two"))
DONE, OPEN_GAMES = 0, 3


def start(loa: Loa, rounds: int) -> subprocess.Popen[str]:
    """Start or resume the tournament."""
    return loa.start(
        *("run", *BOTS, "--tc", "nodes=1", "--rounds", str(rounds), "--max-plies", "40"),
        *("--random-plies", "0", "--repetition", "0", "--name", "t", "--no-report"),
        *("--slots", "2", "--force"),
    )


def kill_one(process: int, chance: random.Random, killed: Counter[str]) -> None:
    """Kill a worker or a bot of a run, if there is one just now."""
    below = processes_below(process)
    workers = [one for one in below if is_worker(one)]
    bots = [one for one in below if is_bot(one)]
    kind, victims = chance.choice([("worker", workers), ("bot", bots)])
    if victims:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(victims), signal.SIGKILL)
            killed[kind] += 1


def run_with_kills(loa: Loa, rounds: int, chance: random.Random, killed: Counter[str]) -> None:
    """Run, killing workers and bots, until the end or until the harness is killed itself."""
    process = start(loa, rounds)
    lines: list[str] = []
    assert process.stderr is not None
    reader = threading.Thread(target=lines.extend, args=(process.stderr,))
    reader.start()
    # Most of the time in the middle of the games, now and then at the start.
    is_early = chance.random() < 0.2
    left = chance.randrange(2, 6)
    try:
        while process.poll() is None:
            if is_early or any(line.startswith("Started game") for line in lines):
                if left == 0:
                    process.kill()
                    killed["harness"] += 1
                    break
                left -= 1
                kill_one(process.pid, chance, killed)
            time.sleep(chance.uniform(0.02, 0.25))
        code = process.wait(timeout=60)
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stderr.close()
        assert process.stdout is not None
        process.stdout.close()
    assert code in (-signal.SIGKILL, DONE, OPEN_GAMES), "".join(lines)
    assert not any("Traceback" in line for line in lines), "".join(lines)


def is_bot(process: int) -> bool:
    try:
        return b"seeded_bot" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def chaos(loa: Loa, tag: Tag, rounds: int, seed: int, harness_kills: int) -> Counter[str]:
    """Return how many processes of which kind were killed."""
    unbroken = Loa(loa.folder / "unbroken", tag)
    unbroken.folder.mkdir()
    process = start(unbroken, rounds)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == DONE, errors

    chance = random.Random(seed)
    killed: Counter[str] = Counter()
    while (before := loa.stored()) < 2 * rounds and killed["harness"] < harness_kills:
        run_with_kills(loa, rounds, chance, killed)
        tag.assert_nothing_left()
        assert loa.stored() >= before
    process = start(loa, rounds)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == DONE, errors
    tag.assert_nothing_left()

    with closing(sqlite3.connect(loa.folder / "results" / "t" / "games.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        counts = database.execute("SELECT count(*), count(DISTINCT id) FROM games").fetchone()
    assert counts == (2 * rounds, 2 * rounds)
    assert loa.export() == unbroken.export()
    return killed


def test_120_games_survive_kills(tmp_path: Path, tag: Tag) -> None:
    killed = chaos(Loa(tmp_path, tag), tag, rounds=60, seed=1, harness_kills=2)
    assert sum(killed.values()) >= 1  # on a quick machine all is played before the second


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", [2, 3])
def test_2000_games_survive_kills(seed: int, tmp_path: Path, tag: Tag) -> None:
    killed = chaos(Loa(tmp_path, tag), tag, rounds=1000, seed=seed, harness_kills=20)
    assert min(killed["harness"], killed["worker"], killed["bot"]) >= 1
