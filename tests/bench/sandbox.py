"""What the sandbox costs: the round trip of a line inside against outside, and the start.

    python -m tests.bench.sandbox [--trips N] [--runs N]

A bot is asked ``isready`` and answers ``readyok``, again and again, plain and in the sandbox, each
run of one beside a run of the other; once with everything on one core, once on all. The bot is
the compiled ``instant_bot.c`` where there is a C compiler, else ``instant_bot.py``. Medians are
printed. Wanted: a round trip of at most 1.2 times the plain one.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.play.bot_definition import BotDefinition, Sandbox
from harness.process.launch import launch
from harness.process.sandbox import refusal
from tests.bench.arguments import positive
from tests.bench.programs import FOLDER, compile_program


def ask(process: subprocess.Popen[bytes], trips: int) -> float:
    """Return nanoseconds of one round trip."""
    assert process.stdin is not None
    assert process.stdout is not None
    to_bot, from_bot = process.stdin.fileno(), process.stdout.fileno()
    begun = time.perf_counter_ns()
    for _ in range(trips):
        os.write(to_bot, b"isready\n")
        answer = os.read(from_bot, 100)
        assert answer == b"readyok\n", answer
    return (time.perf_counter_ns() - begun) / trips


def measured(command: tuple[str, ...], sandbox: Sandbox, trips: int) -> tuple[float, float]:
    """Return nanoseconds from the start to the first answer, and of one round trip."""
    definition = BotDefinition("x", command=command, folder=str(FOLDER), sandbox=sandbox)
    begun = time.perf_counter_ns()
    process = launch(definition)
    try:
        ask(process, 1)
        start = time.perf_counter_ns() - begun
        ask(process, max(1, trips // 10))  # warms up
        return start, ask(process, trips)
    finally:
        process.kill()
        process.communicate()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trips", type=int, default=20_000)
    parser.add_argument("--runs", type=positive, default=15)
    arguments = parser.parse_args()
    why = refusal()
    if why:
        sys.exit(f"this machine refuses the sandbox: {why}")
    cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # root's bots are other users
        compiled = compile_program("instant_bot", folder)
        command = (
            (str(compiled),) if compiled else (sys.executable, "-S", str(FOLDER / "instant_bot.py"))
        )
        print(
            f"{'C' if compiled else 'Python'} bot, {arguments.runs} runs of {arguments.trips} trips"
        )
        for placement, chosen in (("one core", {min(cores)}), ("all cores", cores)):
            os.sched_setaffinity(0, chosen)
            starts: dict[Sandbox, list[float]] = {one: [] for one in Sandbox}
            trips: dict[Sandbox, list[float]] = {one: [] for one in Sandbox}
            for _ in range(arguments.runs):
                for sandbox in Sandbox:
                    start, trip = measured(command, sandbox, arguments.trips)
                    starts[sandbox].append(start)
                    trips[sandbox].append(trip)
            show(placement, "round trip, us", trips, 1e3)
            show(placement, "start, ms", starts, 1e6)
    os.sched_setaffinity(0, cores)


def show(placement: str, what: str, values: dict[Sandbox, list[float]], unit: float) -> None:
    plain, walled = (statistics.median(values[one]) / unit for one in (Sandbox.NONE, Sandbox.BWRAP))
    spread = f"[{min(values[Sandbox.BWRAP]) / unit:.2f}, {max(values[Sandbox.BWRAP]) / unit:.2f}]"
    print(
        f"{placement:<10} {what:<15} plain {plain:8.2f}  sandbox {walled:8.2f} {spread:<18} "
        f"{walled / plain:5.2f} x"
    )


if __name__ == "__main__":
    main()
