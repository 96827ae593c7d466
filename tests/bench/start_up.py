"""How long a bot takes to be ready, beside a bare interpreter; and how long ``loa --help`` takes.

    python -m tests.bench.start_up [--runs N] [--json FILE]

Milliseconds, medians. A bot is timed from its start to ``readyok``.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.bench.arguments import positive
from tests.bench.figures import Figure, write_json

BOTS = ("random", "greedy", "alphabeta", "mcts", "plain")
INTERPRETER = [sys.executable, "-P", "-c", "input(); print('readyok', flush=True); input()"]


def ready_ms(command: Sequence[str], environment: dict[str, str]) -> float:
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"isready\n")
    process.stdin.flush()
    while process.stdout.readline().strip() != b"readyok":
        pass
    elapsed = time.perf_counter() - begun
    process.communicate(b"quit\n")
    return elapsed * 1e3


def run_ms(command: Sequence[str], environment: dict[str, str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return (time.perf_counter() - begun) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=positive, default=21)
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    runs = arguments.runs
    # Bytecode is written as on a person's machine, whatever this shell says.
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    commands = {"bare interpreter": INTERPRETER}
    commands.update({bot: [sys.executable, "-P", "-m", f"bots.{bot}_bot"] for bot in BOTS})
    figures: dict[str, list[float]] = {label: [] for label in commands}
    help_command = [sys.executable, "-m", "harness", "--help"]
    help_ms = []
    for number in range(runs + 2):
        for label, command in commands.items():
            elapsed = ready_ms(command, environment)
            if number >= 2:
                figures[label].append(elapsed)
        help_ms.append(run_ms(help_command, environment))
    bare = statistics.median(figures["bare interpreter"])
    print(f"ms to readyok, median of {runs} runs")
    for label, values in figures.items():
        middle = statistics.median(values)
        print(f"{label:<18} {middle:6.1f}   +{middle - bare:5.1f} over the interpreter")
    print(f"{'loa --help':<18} {statistics.median(help_ms[2:]):6.1f}")
    if arguments.json:
        measured = {**figures, "loa --help": help_ms[2:]}
        every = [Figure(label, "ms", tuple(values)) for label, values in measured.items()]
        write_json(arguments.json, "start_up", every, [])


if __name__ == "__main__":
    main()
