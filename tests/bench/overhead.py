"""What the harness costs a ply, beside a bare ping-pong of two processes in the same run.

    python tests/bench/overhead.py [--bot COMMAND] [--plies N] [--runs N]

An instant bot plays whole games against itself through the referee, the process transport and
the record, pinned to one core and not. Beside it the same number of lines goes to and fro
between two C processes over pipes. Runs are interleaved; medians are printed. The compiled bot
needs a C compiler; without one the script bot serves.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.clock import TimeControl
from harness.play.types import GameSpec, Opening, PlayerSpec
from harness.process.jobs import PairJob, Played
from harness.process.session import Session
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet

FOLDER = Path(__file__).resolve().parent
SCRIPT_BOT = FOLDER / "instant_bot.py"


def compile_c(source: Path, folder: Path) -> Path | None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    program = folder / source.stem
    subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
    return program


def ping_pong_ns(program: Path, trips: int) -> float:
    """Return nanoseconds of one round trip."""
    output = subprocess.run([str(program), str(trips)], check=True, capture_output=True, text=True)
    return float(output.stdout)


def game(number: int, plies: int) -> GameSpec:
    control = TimeControl.parse("600+1")
    return GameSpec(
        game_id=f"a~b.{number}a",
        encounter="a~b",
        pair=number,
        leg="a",
        batch=0,
        schedule_index=number,
        black=PlayerSpec("a", control),
        white=PlayerSpec("b", control),
        opening=Opening(STANDARD_START),
        rules=RuleSet(repetition=0, max_plies=plies),
    )


def harness_ns(command: tuple[str, ...], plies: int, games: int) -> float:
    """Return nanoseconds a ply of games between two copies of the bot."""
    bots = (
        BotDefinition("a", command=command, folder=str(FOLDER)),
        BotDefinition("b", command=command, folder=str(FOLDER)),
    )
    session = Session(0)
    total_ns = played = 0
    try:
        for number in range(games + 1):
            job = PairJob((game(number, plies),), bots, (), RestartPolicy.AUTO)
            for event in session.run(job):
                if isinstance(event, Played) and number:  # the first game warms up
                    total_ns += event.record.duration_ns
                    played += len(event.record.plies)
                    assert len(event.record.plies) == plies, event.record.outcome
    finally:
        session.close()
    return total_ns / played


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bot", help="command of an instant bot")
    parser.add_argument("--plies", type=int, default=100)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ping_pong = compile_c(FOLDER / "ping_pong.c", folder)
        instant = compile_c(FOLDER / "instant_bot.c", folder)
        bots: dict[str, tuple[str, ...]] = {
            "script bot (python)": (sys.executable, "-S", str(SCRIPT_BOT))
        }
        if instant is not None:
            bots["compiled bot (C)"] = (str(instant),)
        if arguments.bot:
            bots[arguments.bot] = tuple(shlex.split(arguments.bot))
        print(
            f"us a ply, median of {arguments.runs} runs [lowest, highest]; "
            f"{arguments.games} games of {arguments.plies} plies"
        )
        for placement, chosen in (("one core", {min(cores)}), ("all cores", cores)):
            os.sched_setaffinity(0, chosen)
            figures: dict[str, list[float]] = {label: [] for label in ("ping-pong (C)", *bots)}
            for _ in range(arguments.runs):
                if ping_pong is not None:
                    figures["ping-pong (C)"].append(
                        ping_pong_ns(ping_pong, arguments.plies * arguments.games * 5)
                    )
                for label, command in bots.items():
                    figures[label].append(harness_ns(command, arguments.plies, arguments.games))
            show(placement, figures)
    os.sched_setaffinity(0, cores)


def show(placement: str, figures: dict[str, list[float]]) -> None:
    base = statistics.median(figures["ping-pong (C)"]) if figures["ping-pong (C)"] else None
    for label, values in figures.items():
        if values:
            middle = statistics.median(values)
            ratio = f"  {middle / base:5.2f} x ping-pong" if base else ""
            print(
                f"{placement:<10} {label:<22} {middle / 1e3:8.2f} "
                f"[{min(values) / 1e3:.2f}, {max(values) / 1e3:.2f}]{ratio}"
            )


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
