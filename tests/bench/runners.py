"""The match runners that are measured beside each other, each by its own command.

All play the same: two copies of the same bot that answers at once, games of the same number of
plies, a clock with an increment, colours in turn, every game written to a file with its moves
and times, bots kept running between games. Peers are found by environment variables that name
their programs. What is not set is left at each runner's default.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.running import LOA

PLIES: Final = 100
"""Of every game: the ply limit of Lines of Action, the fifty-move rule of chess."""

CLOCK_SECONDS: Final = 600
INCREMENT_SECONDS: Final = 1


@dataclass(frozen=True, slots=True)
class Work:
    """What a runner is to do: so many games, an even number, so many at once."""

    bot: Path
    games: int
    slots: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Runner:
    """A runner's name, the game it plays, and the command for a piece of work."""

    label: str
    game: str
    command: Callable[[Work], Sequence[str]]


def loa() -> Runner:
    """Return the harness, store, records and clocks included."""
    return Runner("loa run", "Lines of Action", _loa)


def peers(environment: Mapping[str, str]) -> tuple[list[Runner], list[str]]:
    """Return the peers whose variable is set, and sentences about the others.

    Raises SystemExit when a variable names no program.
    """
    found: list[Runner] = []
    missing: list[str] = []
    for variable, (label, game, make) in _PEERS.items():
        name = environment.get(variable)
        if not name:
            missing.append(f"{label} is not measured: {variable} does not name its program")
            continue
        program = shutil.which(name)
        if program is None:
            raise SystemExit(f"{variable}={name} is no program")
        found.append(Runner(label, game, make(os.fspath(Path(program).resolve()))))
    return found, missing


def _loa(work: Work) -> list[str]:
    return [
        *(*LOA, "run", f"a={work.bot}", f"b={work.bot}", "--name", "bench"),
        *("--results", str(work.folder / "results"), "--no-report"),
        *("--rounds", str(work.games // 2), "--tc", f"{CLOCK_SECONDS}+{INCREMENT_SECONDS}"),
        *("--random-plies", "0", "--repetition", "0", "--max-plies", str(PLIES)),
        *("--slots", str(work.slots), "--force"),
    ]


def _c_chess_cli(program: str) -> Callable[[Work], Sequence[str]]:
    def command(work: Work) -> list[str]:
        return [
            *(program, "-engine", f"cmd={work.bot}", "name=a", "-engine", f"cmd={work.bot}"),
            *("name=b", "-each", f"tc={CLOCK_SECONDS}+{INCREMENT_SECONDS}"),
            *("-games", str(work.games), "-concurrency", str(work.slots)),
            *("-pgn", str(work.folder / "games.pgn"), "3"),
        ]

    return command


def _fastchess(program: str) -> Callable[[Work], Sequence[str]]:
    def command(work: Work) -> list[str]:
        return [
            *(program, "-engine", f"cmd={work.bot}", "name=a", "-engine", f"cmd={work.bot}"),
            *("name=b", "-each", f"tc={CLOCK_SECONDS}+{INCREMENT_SECONDS}"),
            *("-rounds", str(work.games // 2), "-games", "2"),
            *("-concurrency", str(work.slots), "-force-concurrency"),
            *("-pgnout", f"file={work.folder / 'games.pgn'}"),
        ]

    return command


def _cutechess(program: str) -> Callable[[Work], Sequence[str]]:
    def command(work: Work) -> list[str]:
        return [
            *(program, "-engine", f"cmd={work.bot}", "name=a", "-engine", f"cmd={work.bot}"),
            *("name=b", "-each", "proto=uci", f"tc={CLOCK_SECONDS}+{INCREMENT_SECONDS}"),
            *("-rounds", str(work.games // 2), "-games", "2"),
            *("-concurrency", str(work.slots), "-pgnout", str(work.folder / "games.pgn")),
        ]

    return command


def _cutegames(program: str) -> Callable[[Work], Sequence[str]]:
    """The bot is asked whether a game is over, as this runner knows no Lines of Action."""

    def command(work: Work) -> list[str]:
        openings, settings = work.folder / "openings.txt", work.folder / "settings.json"
        openings.write_text("startpos\n", encoding="ascii")
        settings.write_text(
            json.dumps(
                {
                    "game": "generic",
                    "games": work.games,
                    "concurrency": work.slots,
                    "timecontrol": {
                        "type": "clock",
                        "time": CLOCK_SECONDS * 1000,
                        "increment": INCREMENT_SECONDS * 1000,
                    },
                    "openings": {"path": str(openings), "repeat": True, "shuffle": False},
                    "pgn": {"enabled": True, "path": str(work.folder / "games.pgn")},
                    "engines": [
                        {"name": name, "path": str(work.bot), "protocol": "UGI"} for name in "ab"
                    ],
                }
            ),
            encoding="ascii",
        )
        return [program, "--settings", str(settings)]

    return command


_PEERS: Final = {
    "CCHESS": ("c-chess-cli", "chess", _c_chess_cli),
    "FASTCHESS": ("fastchess", "chess", _fastchess),
    "CUTEGAMES": ("cutegames", "Lines of Action", _cutegames),
    "CUTECHESS": ("cutechess-cli", "chess", _cutechess),
}
