"""Every fault of tests/faulty_bots in one tournament, as first and as second mover.

The bots of the list below meet a sound one; in between two other sound bots meet. Each fault
has its cause and its loser or is set aside, and the sound bots' games are what they are alone.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.process.run_command import Loa
from tests.process.support import (
    FAULTY_BOT,
    UNRULY_BOT,
    Tag,
    is_worker,
    peak_bytes,
    processes_below,
)

pytestmark = [pytest.mark.process, pytest.mark.alone]

SOUND_PAIRS = 8
MAX_GROWTH_BYTES = 150 * 1024 * 1024
LOSES = {
    "exit": "crash",
    "segfault": "crash",
    "traceback": "crash",
    "close-output": "crash",
    "grandchild-and-exit": "crash",
    "daemon-and-exit": "crash",
    "terminate-self": "crash",
    "burn-many-threads": "crash or time",
    "allocate": "crash",
    "allocate-in-a-child": "crash",
    "allocate-in-many": "crash",
    "allocate-shared": "crash",
    "fork": "crash",
    "fork-and-leave": "crash",
    "silent": "time",
    "late": "time",
    "late-from-a-child": "time",
    "no-newline": "time",
    "chatter": "time",
    "flood-errors": "time",
    "deaf": "time",
    "stop-self": "time",
    "flood-lines": "output-overflow",
    "flood-bytes": "output-overflow",
    "illegal": "illegal-move",
    "repeat-only": "illegal-move",
    "malformed": "malformed-reply",
    "empty": "malformed-reply",
    "resign": "resignation",
}
PLAYS_ON = (
    "twice",
    "twice-slowly",
    "late-until-ready",
    "long-line",
    "many-infos",
    "noise",
    "stderr",
    "crlf",
    "crlf-always",
    "many-options",
    "other-answers",
    "ignores-everything",
    "start-slow",
    "start-every-third-fails",
    "daemon",
    "daemon-allocates",
    "daemon-flees",
    "burn-threads",
    "burn-children",
    "meddle",
)
SET_ASIDE = {
    "start-exit": "exited with code 7",
    "start-silent": "did not answer 'ugi' with 'ugiok'",
    "start-chatter": "did not answer 'ugi' with 'ugiok'",
    "start-flood": "at 'ugi'",
    "start-slow-beyond": "did not answer 'ugi' with 'ugiok'",
    "loses-an-option": "option Depth is not announced",
}
STAYS_OPEN = ("kill-self", "kill-group", "kill-all")
UNRULY = {
    *("daemon-and-exit", "terminate-self", "allocate", "allocate-in-a-child", "allocate-in-many"),
    *("allocate-shared", "fork", "fork-and-leave", "stop-self", "daemon", "daemon-allocates"),
    *("daemon-flees", "burn-threads", "burn-many-threads", "burn-children", "meddle"),
    *STAYS_OPEN,
}
STOPPED = "the machine was stopped"
NEEDS_TIME = ("allocate", "fork", "flood-lines", "flood-bytes", "many", "long", "burn", "stderr")


@dataclass
class Watched:
    """What a run of ``loa`` came to, and the most memory that each process of it held."""

    code: int
    errors: str
    peaks: Counter[str] = field(default_factory=Counter)


def watch(loa: Loa, *arguments: str) -> Watched:
    with (loa.folder / "errors.txt").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "harness", *arguments],
            cwd=loa.folder,
            env=loa.environment,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        peaks: Counter[str] = Counter()
        deadline = time.monotonic() + 200
        while process.poll() is None:
            assert time.monotonic() < deadline
            peaks["harness"] = max(peaks["harness"], peak_bytes(process.pid))
            for one in processes_below(process.pid):
                if is_worker(one):
                    peaks["worker"] = max(peaks["worker"], peak_bytes(one))
            time.sleep(0.05)
    return Watched(process.returncode, (loa.folder / "errors.txt").read_text(), peaks)


def bot_table(mode: str, folder: Path) -> str:
    program = UNRULY_BOT if mode in UNRULY else FAULTY_BOT
    turn, word = 2, mode
    if mode.startswith("start-slow"):
        turn, word = (5_000 if mode == "start-slow-beyond" else 200), "start-slow"
    command = [sys.executable, "-S", str(program), word, str(turn)]
    namespace = Path("/proc/self/ns/pid").stat().st_ino
    control = "move=10" if mode.startswith(NEEDS_TIME) else "move=0.25"
    start_ms = 500 if "did not answer" in SET_ASIDE.get(mode, "") else 20_000
    lines = [
        f"[[bot]]\nname = '{mode}'\ncommand = {json.dumps(command)}",
        f"time-control = '{control}'\nstart-ms = {start_ms}\ngoodbye-ms = 50",
        "memory-mb = 150\nprocesses = 48",
        f"env = {{ LOA_TEST_COUNTER = '{folder}/{mode}.txt', LOA_TEST_NAMESPACE = '{namespace}' }}",
    ]
    if mode == "loses-an-option":
        lines.append("options = { Depth = 3 }")
    if mode in ("start-every-third-fails", "other-answers"):
        lines.append("restart = 'always'")
    return "\n".join(lines) + "\n"


def tournament(modes: list[str], folder: Path) -> str:
    """Return a list of encounters: of every mode with ``calm``, sound pairs in between."""
    text = (
        "[tournament]\nname = 't'\nformat = 'list'\nmax-plies = 60\nslots = 2\nforce = true\n"
        "time-control = 'move=10'\n[openings]\nrandom-plies = 0\n[rules]\nrepetition = 0\n"
        f"[[bot]]\nname = 'calm'\ncommand = ['{sys.executable}', '-S', '{FAULTY_BOT}', 'none']\n"
        "[[bot]]\nname = 'sound'\nmodule = 'bots.random_bot'\n"
        "[[bot]]\nname = 'partner'\nmodule = 'bots.random_bot'\n"
    )
    text += "".join(bot_table(mode, folder) for mode in modes)
    every = max(1, len(modes) // SOUND_PAIRS)
    for number in range(max(SOUND_PAIRS * every, len(modes))):
        if number % every == 0 and number < SOUND_PAIRS * every:
            label = f"n{number // every}"
            text += f"[[encounter]]\nbots = ['sound', 'partner']\nlabel = '{label}'\nrounds = 1\n"
        if number < len(modes):
            text += f"[[encounter]]\nbots = ['{modes[number]}', 'calm']\nrounds = 1\n"
    return text


def games_of(loa: Loa) -> tuple[dict[str, list[tuple[str, str | None, str]]], list[str]]:
    """Return cause, loser and first mover of the games by the bot, and the sound bots' lines."""
    by_mode: dict[str, list[tuple[str, str | None, str]]] = {}
    sound: list[str] = []
    for line in loa.export().splitlines():
        game = json.loads(line)
        names = {game["black"], game["white"]}
        if names == {"sound", "partner"}:
            sound.append(line)
            continue
        (mode,) = names - {"calm"}
        loser = None
        if game["winner"] is not None:
            loser = game["white" if game["winner"] == "black" else "black"]
        by_mode.setdefault(mode, []).append((game["cause"], loser, game["black"]))
    return by_mode, sound


def incidents_of(loa: Loa) -> list[tuple[str, str, str, str]]:
    with closing(sqlite3.connect(loa.folder / "results" / "t" / "games.sqlite")) as database:
        return database.execute("SELECT kind, game, bot, why FROM incidents").fetchall()


@pytest.mark.timeout(280)
def test_every_fault_has_its_end_and_harms_no_other(tmp_path: Path, tag: Tag) -> None:
    alone = Loa(tmp_path / "alone", tag)
    loa = Loa(tmp_path / "all", tag)
    modes = [*LOSES, *PLAYS_ON, *SET_ASIDE, *STAYS_OPEN]
    for one, its_modes in ((alone, []), (loa, modes)):
        one.folder.mkdir()
        (one.folder / "t.toml").write_text(tournament(its_modes, one.folder))
    quiet = watch(alone, "run", "t.toml", "--no-report")
    assert quiet.code == 0, quiet.errors
    ended = watch(loa, "run", "t.toml", "--no-report")
    assert ended.code == 3, ended.errors
    assert "Traceback" not in ended.errors
    assert "\x1b" not in ended.errors
    tag.assert_nothing_left()

    by_mode, sound = games_of(loa)
    assert sound == games_of(alone)[1]
    assert len(sound) == 2 * SOUND_PAIRS
    for mode, cause in LOSES.items():
        games = by_mode.pop(mode)
        assert sorted(game[1:] for game in games) == sorted([(mode, "calm"), (mode, mode)])
        assert {game[0] for game in games} <= {*cause.split(" or ")}, mode
    for mode in PLAYS_ON:
        assert sorted(by_mode.pop(mode)) == sorted(
            [("max-plies", None, "calm"), ("max-plies", None, mode)]
        ), mode
    assert by_mode == {}

    incidents = incidents_of(loa)
    aside = {bot: why for kind, _, bot, why in incidents if kind == "set-aside"}
    assert aside.keys() == SET_ASIDE.keys()
    for mode, words in SET_ASIDE.items():
        assert words in aside[mode]
    # A bot that brings a small machine to a halt may cost the sound bots of another slot an
    # attempt, but never itself: nobody flees from a loss that way.
    lost = Counter(
        game
        for kind, game, _, why in incidents
        if kind == "lost-attempt" and not (STOPPED in why and game.startswith("partner~sound"))
    )
    expected = {f"{a}~{b}.1{leg}" for a, b in map(encounter, STAYS_OPEN) for leg in "ab"}
    assert lost == dict.fromkeys(expected, 3), incidents
    voided = {bot for kind, _, bot, _ in incidents if kind == "void"}
    assert voided == {"start-every-third-fails", "loses-an-option"}

    assert f"{2 * len(SET_ASIDE) + 2 * len(STAYS_OPEN)} of " in ended.errors
    for process in ("harness", "worker"):
        assert ended.peaks[process] - quiet.peaks[process] < MAX_GROWTH_BYTES, process


def encounter(mode: str) -> tuple[str, str]:
    first, second = sorted((mode, "calm"), key=os.fsencode)
    return first, second
